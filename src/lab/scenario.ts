// The text form of scenarios, which are transcripts: commands (with indented lines as their body), `----`, and what they
// print, up to a blank line. Lines that begin with `#` are comments. Printing a parsed scenario with other outputs keeps
// every line of it but those.

import { ScenarioError } from './scenario-error.ts'

export interface Call {
  /** Counted from 1. */
  readonly line: number
  readonly text: string
  /** The indented lines below the command, without their indentation. */
  readonly body: string
}

export interface Step {
  /** Comments and commands as they stand in the file. */
  readonly head: readonly string[]
  readonly calls: readonly Call[]
  /** Undefined when the file does not say yet. */
  readonly expected: readonly string[] | undefined
  /** Line of the first line of output. */
  readonly outputLine: number
}

export interface Scenario {
  readonly file: string
  readonly steps: readonly Step[]
  /** Comments after the last step. */
  readonly tail: readonly string[]
}

const separator = '----'
const isBlank = (line: string): boolean => line.trim() === ''

export function parseScenario(file: string, text: string): Scenario {
  const lines = text.split(/\r?\n/)
  const steps: Step[] = []
  let headAt = 0
  let at = 0
  while (at < lines.length) {
    if (lines[at] !== separator) {
      at += 1
      continue
    }
    const outputAt = at + 1
    let endAt = outputAt
    while (endAt < lines.length && !isBlank(lines[endAt] ?? '')) endAt += 1
    const calls = callsOf(file, lines, headAt, at)
    if (calls.length === 0) throw new ScenarioError(file, at + 1, 'there is no command above this line')
    const expected = lines.slice(outputAt, endAt)
    steps.push({ head: trimBlank(lines.slice(headAt, at)), calls, expected, outputLine: outputAt + 1 })
    headAt = endAt
    at = endAt
  }
  const rest = trimBlank(lines.slice(headAt))
  const calls = callsOf(file, lines, headAt, lines.length)
  if (calls.length === 0) return { file, steps, tail: rest }
  return { file, steps: [...steps, { head: rest, calls, expected: undefined, outputLine: lines.length }], tail: [] }
}

function trimBlank(lines: readonly string[]): readonly string[] {
  const first = lines.findIndex((line) => !isBlank(line))
  const last = lines.findLastIndex((line) => !isBlank(line))
  return first < 0 ? [] : lines.slice(first, last + 1)
}

function callsOf(file: string, lines: readonly string[], from: number, to: number): readonly Call[] {
  const calls: Call[] = []
  for (let at = from; at < to; ) {
    const text = lines[at] ?? ''
    if (isBlank(text) || text.startsWith('#')) {
      at += 1
      continue
    }
    if (/^\s/.test(text)) throw new ScenarioError(file, at + 1, 'an indented line belongs below a command')
    let endAt = at + 1
    for (let i = endAt; i < to && (isBlank(lines[i] ?? '') || /^\s/.test(lines[i] ?? '')); i += 1)
      if (!isBlank(lines[i] ?? '')) endAt = i + 1
    calls.push({ line: at + 1, text: text.trimEnd(), body: unindent(lines.slice(at + 1, endAt)) })
    at = endAt
  }
  return calls
}

function unindent(lines: readonly string[]): string {
  const depths = lines.filter((line) => !isBlank(line)).map((line) => line.search(/\S/))
  const depth = Math.min(...depths)
  return lines.length === 0 ? '' : `${lines.map((line) => line.slice(depth)).join('\n')}\n`
}

/** The transcript with these outputs, one for each step. */
export function printScenario({ steps, tail }: Scenario, outputs: readonly (readonly string[])[]): string {
  const parts = steps.map(({ head }, i) => [...head, separator, ...(outputs[i] ?? [])].join('\n'))
  if (tail.length > 0) parts.push(tail.join('\n'))
  return `${parts.join('\n\n')}\n`
}
