// cel-go's extension functions of strings (ext.Strings, version 2) that the language library lacks.

import type { Environment } from '@marcbachmann/cel-js'
import { goQuote } from './quote.ts'

class CelStrings {}

const letters = (text: string): readonly string[] => [...text]

function charAt(text: string, index: bigint): string {
  const all = letters(text)
  if (index < 0n || index > BigInt(all.length)) throw new Error(`index out of range: ${index}`)
  return all[Number(index)] ?? ''
}

function replace(text: string, [from, to]: readonly [string, string], times = -1n): string {
  if (times < 0n) return text.replaceAll(from, () => to)
  let rest = text
  let done = ''
  for (let left = times; left > 0n; left--) {
    const at = rest.indexOf(from)
    if (at < 0) break
    done += rest.slice(0, at) + to
    rest = rest.slice(at + from.length)
  }
  return done + rest
}

/** The text of a value under `%s`. */
export function celText(value: unknown): string {
  if (value === null) return 'null'
  if (Array.isArray(value)) return `[${(value as readonly unknown[]).map(celText).join(', ')}]`
  if (value instanceof Date) return value.toISOString().replace('.000Z', 'Z')
  if (typeof value === 'object') {
    const { text } = value as { readonly text?: unknown }
    if (typeof text === 'string') return text
    if (Object.getPrototypeOf(value) !== Object.prototype) return String(value)
    const entries = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1))
    return `{${entries.map(([key, inner]) => `${key}: ${celText(inner)}`).join(', ')}}`
  }
  return String(value)
}

const verb = /%(?:\.(\d+))?([sdfexXob%])|%/g

function format(text: string, values: readonly unknown[]): string {
  let next = 0
  return text.replace(verb, (whole, digits: string | undefined, letter: string | undefined) => {
    if (letter === '%') return '%'
    if (letter === undefined)
      throw new Error(`could not parse formatting clause: unrecognized formatting clause ${whole}`)
    if (next >= values.length) throw new Error(`index ${next} out of range`)
    return formatted(values[next++], letter, digits === undefined ? 6 : Number(digits))
  })
}

function formatted(value: unknown, letter: string, digits: number): string {
  switch (letter) {
    case 's':
      return celText(value)
    case 'd':
      if (typeof value === 'bigint' || typeof value === 'number') return String(value)
      break
    case 'f':
      if (typeof value === 'bigint' || typeof value === 'number') return Number(value).toFixed(digits)
      break
    case 'e':
      if (typeof value === 'bigint' || typeof value === 'number')
        return Number(value)
          .toExponential(digits)
          .replace(/e([+-])(\d)$/, 'e$10$2')
      break
    case 'b':
      if (typeof value === 'bigint') return value.toString(2)
      if (typeof value === 'boolean') return value ? '1' : '0'
      break
    case 'o':
      if (typeof value === 'bigint') return value.toString(8)
      break
    default: {
      const hex = hexOf(value)
      if (hex !== undefined) return letter === 'X' ? hex.toUpperCase() : hex
    }
  }
  throw new Error(`error during formatting: "${letter}" clause cannot be used on this type`)
}

function hexOf(value: unknown): string | undefined {
  if (typeof value === 'bigint') return value.toString(16)
  if (typeof value !== 'string') return undefined
  return [...new TextEncoder().encode(value)].map((byte) => byte.toString(16).padStart(2, '0')).join('')
}

export function addStrings(env: Environment): void {
  env.registerFunction('string.charAt(int): string', charAt)
  env.registerFunction('string.replace(string, string): string', (text: string, from: string, to: string) =>
    replace(text, [from, to]),
  )
  env.registerFunction(
    'string.replace(string, string, int): string',
    (text: string, from: string, to: string, times: bigint) => replace(text, [from, to], times),
  )
  env.registerFunction('string.format(list): string', format)
  env.registerType('Strings', CelStrings)
  env.registerConstant('strings', 'Strings', new CelStrings())
  env.registerFunction('Strings.quote(string): string', (_all: unknown, text: string) => goQuote(text))
}
