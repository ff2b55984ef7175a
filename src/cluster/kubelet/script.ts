// What can be told of a shell script without running it: how long it sleeps, how it ends, what it prints, and which files
// are there when (the exec probes of many tutorials look at one).

export interface Script {
  readonly seconds: number
  readonly exitCode: number | undefined
  readonly endless: boolean
  readonly output: string
  /** By path: from which second on the file is there, or is not. */
  readonly files: ReadonlyMap<string, readonly { readonly fromSeconds: number; readonly exists: boolean }[]>
}

const units: Readonly<Record<string, number>> = { s: 1, m: 60, h: 3600, d: 86_400 }

export function readScript(script: string): Script {
  let seconds = 0
  let exitCode: number | undefined
  let output = ''
  const files = new Map<string, { readonly fromSeconds: number; readonly exists: boolean }[]>()
  const endless = /\bwhile\s+(true|:|\[\s*1\s*\])|\bsleep\s+inf|\btail\s+-[a-zA-Z]*[fF]/.test(script)
  for (const part of script.split(/&&|\|\||[;\n]/).map((text) => text.trim().replace(/^exec\s+/, ''))) {
    const sleep = /^sleep\s+([0-9.]+)([smhd]?)$/.exec(part)
    const exit = /^exit\s+(\d+)$/.exec(part)
    const echo = /^echo\s+(.*)$/.exec(part)
    const file = /^(touch|rm(?:\s+-[rf]+)?)\s+(\/\S+)$/.exec(part)
    if (sleep !== null) seconds += Number(sleep[1]) * (units[sleep[2] ?? ''] ?? 1)
    else if (echo !== null) output += `${(echo[1] ?? '').replace(/^(["'])(.*)\1$/, '$2')}\n`
    else if (part === 'true' || part === 'false') exitCode = part === 'true' ? 0 : 1
    else if (file !== null) {
      const path = file[2] ?? ''
      files.set(path, [...(files.get(path) ?? []), { fromSeconds: seconds, exists: file[1] === 'touch' }])
    } else if (exit !== null) {
      exitCode = Number(exit[1])
      break
    }
  }
  return { seconds, exitCode, endless, output, files }
}
