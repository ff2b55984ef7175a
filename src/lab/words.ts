// The words of a command line: quotes keep blanks together, `-n NAME`, `-l SELECTOR`, `-A`, `--from NAME` and `--name=value` are options.

import { UsageError } from './scenario-error.ts'

export interface Words {
  /** Without the command's own name. */
  readonly words: readonly string[]
  readonly options: ReadonlyMap<string, string>
}

const shortOptions: Readonly<Record<string, string>> = { '-n': 'namespace', '-l': 'selector', '--from': 'from' }

/** Splits at blanks outside of single and double quotes, which are taken off. */
export function splitWords(text: string): readonly string[] {
  const words: string[] = []
  for (const [match] of text.matchAll(/(?:'[^']*'|"[^"]*"|[^\s'"])+/g))
    words.push(match.replace(/'([^']*)'|"([^"]*)"/g, (_, single?: string, double?: string) => single ?? double ?? ''))
  return words
}

export function parseWords(text: string): Words {
  const [, ...rest] = splitWords(text)
  const words: string[] = []
  const options = new Map<string, string>()
  for (let i = 0; i < rest.length; i += 1) {
    const word = rest[i] ?? ''
    const long = shortOptions[word]
    if (word === '-A') options.set('all-namespaces', 'true')
    else if (long !== undefined) {
      const value = rest[i + 1]
      if (value === undefined) throw new UsageError(`${word} wants a value`)
      options.set(long, value)
      i += 1
    } else if (word.startsWith('--')) {
      const equals = word.indexOf('=')
      options.set(word.slice(2, equals < 0 ? undefined : equals), equals < 0 ? 'true' : word.slice(equals + 1))
    } else words.push(word)
  }
  return { words, options }
}

/** What any command may have: it then runs again and again. */
const ofAll = ['every', 'for']

/** The options that a usage text names. */
export function optionsIn(usage: string): readonly string[] {
  const long = [...usage.matchAll(/--([a-z][a-z-]*)/g)].map(([, name = '']) => name)
  const short = Object.entries(shortOptions).flatMap(([word, name]) => (usage.includes(`${word} `) ? [name] : []))
  return [...ofAll, ...long, ...short, ...(/(^|[[ ])-A\b/.test(usage) ? ['all-namespaces'] : [])]
}

/** Throws when there is an option that the command does not know. */
export function checkOptions(options: Words['options'], usage: string): void {
  const known = optionsIn(usage)
  for (const name of options.keys()) {
    if (known.includes(name)) continue
    const [short] = Object.entries(shortOptions).find(([, long]) => long === name) ?? []
    throw new UsageError(`${short ?? (name === 'all-namespaces' ? '-A' : `--${name}`)} is no option of it`)
  }
}

/** A whole number from 0 on. */
export function parseCount(text: string | undefined, what: string): number {
  if (text === undefined || !/^\d+$/.test(text))
    throw new UsageError(`${what}: ${text ?? 'nothing'} is not a whole number`)
  return Number(text)
}
