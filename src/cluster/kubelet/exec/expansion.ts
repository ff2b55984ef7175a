// What the words of a shell become: variables, sums and outputs of commands filled in, divided at blanks, globs filled in.

import { posix } from 'node:path'
import { matchesGlob } from '#objects'
import { sumOf } from './arithmetic.ts'
import { Exit, type Process, resolved } from './process.ts'
import type { Word } from './words.ts'

export interface WordView {
  readonly process: Omit<Process, 'args'>
  /** What the shell is called. */
  readonly name: string
  /** What a command in a word prints. */
  readonly outputOf: (command: string) => Promise<string>
}

/** The words that one becomes: unquoted expansions are divided at blanks, globs are filled in. */
export async function wordsOf(word: Word, view: WordView): Promise<readonly string[]> {
  const words: string[] = []
  let text = ''
  let has = false
  let hasGlob = false
  for (const segment of word) {
    const value = await valueIn(segment, view)
    if (segment.quoted) {
      text += value
      has = true
    } else if (segment.kind === 'text') {
      text += value
      has = true
      if (/[*?]/.test(value)) hasGlob = true
    } else {
      const [first = '', ...more] = value.split(/[ \t\n]+/)
      text += first
      has ||= first !== ''
      for (const next of more) {
        if (has) words.push(text)
        text = next
        has = next !== ''
      }
    }
  }
  if (has) words.push(text)
  return hasGlob ? words.flatMap((one) => globbed(view, one)) : words
}

function globbed({ process }: WordView, pattern: string): readonly string[] {
  // With more stars a name could be split among them in too many ways.
  if (!/[*?]/.test(pattern) || /(\*[^*/]*){4}/.test(pattern)) return [pattern]
  const parts = pattern.split('/')
  let found: readonly string[] = [pattern.startsWith('/') ? '/' : '']
  for (const part of parts.filter((one) => one !== '')) {
    found = found.flatMap((folder) => {
      if (!/[*?]/.test(part)) return [posix.join(folder, part)]
      const names = process.around.files.list(resolved(process, folder === '' ? '.' : folder)) ?? []
      return names
        .filter((name) => !name.startsWith('.') && matchesGlob(part, name))
        .map((name) => posix.join(folder, name))
    })
  }
  const there = found.filter((path) => process.around.files.exists(resolved(process, path)))
  return there.length === 0 ? [pattern] : there
}

/** The one text that a word stands for. */
export async function textOf(word: Word, view: WordView): Promise<string> {
  let text = ''
  for (const segment of word) text += await valueIn(segment, view)
  return text
}

async function valueIn(segment: Word[number], { process, name: shellName, outputOf }: WordView): Promise<string> {
  const { state } = process
  if (segment.kind === 'text') return segment.text
  if (segment.kind === 'variable') {
    const { name, fallback } = segment
    const special: Readonly<Record<string, string>> = {
      '?': String(state.lastCode),
      $: '1',
      '#': '0',
      '0': shellName,
      PWD: state.cwd,
    }
    const value = special[name] ?? state.env.get(name)
    return fallback !== undefined && (value ?? '') === '' ? fallback : (value ?? '')
  }
  if (segment.kind === 'command') return outputOf(segment.text)
  const sum = sumOf(segment.text, (name) => state.env.get(name))
  if (sum !== undefined) return String(sum)
  await process.stderr.write(`${shellName}: arithmetic syntax error\n`)
  throw new Exit(2)
}
