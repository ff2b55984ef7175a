// What can be told of a shell script without running it: how long it sleeps, how it ends, what it prints, and which files
// are there when (the exec probes of many tutorials look at one).

import { isMissingProgram } from '../workload/missing-names.ts'

export interface Script {
  readonly seconds: number
  readonly exitCode: number | undefined
  readonly endless: boolean
  readonly output: string
  /** The program that takes the shell's place: where it is told to, and where it is all that there is to run. */
  readonly becomes: string | undefined
  /** By path: from which second on the file is there, or is not. */
  readonly files: ReadonlyMap<string, readonly { readonly fromSeconds: number; readonly exists: boolean }[]>
}

const units: Readonly<Record<string, number>> = { s: 1, m: 60, h: 3600, d: 86_400 }

export function readScript(script: string): Script {
  let seconds = 0
  let exitCode: number | undefined
  let output = ''
  let becomes: string | undefined
  const files = new Map<string, { readonly fromSeconds: number; readonly exists: boolean }[]>()
  const endless = /\bwhile\s+(true|:|\[\s*1\s*\])|\bsleep\s+inf|\btail\s+-[a-zA-Z]*[fF]/.test(script)
  const parts = partsOf(script)
  for (const { text: part, guarded, takesOver } of parts) {
    const sleep = /^sleep\s+([0-9.]+)([smhd]?)$/.exec(part)
    const exit = /^exit\s+(\d+)$/.exec(part)
    const echo = /^echo\s+(.*)$/.exec(part)
    const file = /^(touch|rm(?:\s+-[rf]+)?)\s+(\/\S+)$/.exec(part)
    if (exit !== null) {
      // What is not known to go wrong goes well.
      if (guarded && exit[1] !== '0') continue
      exitCode = Number(exit[1])
      break
    }
    if (guarded) continue
    if (takesOver || (parts.length === 1 && isSimple(part))) becomes ??= programOf(part)
    if (sleep !== null) seconds += Number(sleep[1]) * (units[sleep[2] ?? ''] ?? 1)
    else if (echo !== null) {
      output += `${(echo[1] ?? '').replace(/^(["'])(.*)\1$/, '$2')}\n`
      // What failed before it is forgotten.
      if (exitCode !== undefined) exitCode = 0
    } else if (part === 'true') exitCode = 0
    else if (fails(part)) {
      exitCode = part === 'false' ? 1 : notFound
      if (part !== 'false') output += `sh: ${programOf(part)}: not found\n`
    } else if (file !== null) {
      const path = file[2] ?? ''
      files.set(path, [...(files.get(path) ?? []), { fromSeconds: seconds, exists: file[1] === 'touch' }])
    }
  }
  return { seconds, exitCode, endless, output, becomes, files }
}

const notFound = 127

/** A command that surely fails. */
const fails = (text: string): boolean => text === 'false' || (isSimple(text) && isMissingProgram(programOf(text)))

/** One command and nothing around it, for which a shell starts no process of its own. */
const isSimple = (text: string): boolean => !/[|&<>()`{}]/.test(text)

/** The name of the command, behind variables that are set for it alone. */
const programOf = (text: string): string | undefined =>
  text.split(/\s+/).find((word) => word !== '' && !/^\w+=/.test(word))

interface Part {
  readonly text: string
  /** Only in some cases, and nobody can say whether: in a branch, a function, or after another command has failed. */
  readonly guarded: boolean
  /** It is run in the place of the shell. */
  readonly takesOver: boolean
}

/** The commands of a script in their order, without the words around them. */
function partsOf(script: string): readonly Part[] {
  const parts: Part[] = []
  /** What is open: branches that may be taken or not, and functions. */
  const open: boolean[] = []
  let before = ''
  let failed = false
  for (const token of script.split(/(&&|\|\||[;\n])/)) {
    if (/^(&&|\|\||[;\n])$/.test(token)) {
      failed = token === '||' && !fails(before)
      continue
    }
    let text = token.trim()
    const branch = /^if\s+(.*)$/s.exec(text)
    if (branch !== null) {
      open.push(!/^(true|:)$/.test(branch[1] ?? ''))
      continue
    }
    if (/^\w+\s*\(\)/.test(text)) open.push(true)
    text = text.replace(/^(?:\w+\s*\(\)\s*)?(?:(?:then|else|do|\{)\s+)*/, '')
    const takesOver = /^exec\s+[^\s<>]/.test(text)
    text = text.replace(/^exec\s+/, '')
    if (text === 'fi' || text === '}') open.pop()
    else parts.push({ text, guarded: failed || open.includes(true), takesOver })
    before = text
  }
  return parts
}
