// Go's `printf`, for the verbs that templates use.

import { shown, textOf, typeName, type Value } from './values.ts'

const verb = /%([-+# 0]*)(\d+)?(?:\.(\d+))?([a-zA-Z%])/g

export function printf(format: string, values: readonly Value[]): string {
  let at = 0
  const text = format.replace(
    verb,
    (whole, flags: string, width: string | undefined, precision: string | undefined, letter: string) => {
      if (letter === '%') return '%'
      if (at >= values.length) return `%!${letter}(MISSING)`
      const value = values[at++]
      return pad(formatOne({ letter, precision, whole }, value), { flags, width: Number(width ?? 0) })
    },
  )
  const extra = values.slice(at).map((value) => `${typeName(value)}=${shown(value)}`)
  return extra.length === 0 ? text : `${text}%!(EXTRA ${extra.join(', ')})`
}

interface Verb {
  readonly letter: string
  readonly precision: string | undefined
  readonly whole: string
}

function formatOne({ letter, precision }: Verb, value: Value): string {
  if (letter === 'v') return shown(value)
  if (letter === 'T') return typeName(value)
  if (letter === 't' && typeof value === 'boolean') return String(value)
  if (letter === 'q') return JSON.stringify(textOf(value))
  if (letter === 's')
    return typeof value === 'number' || typeof value === 'boolean'
      ? wrong(letter, value)
      : shortened(textOf(value), precision)
  if (typeof value !== 'number') return wrong(letter, value)
  if (letter === 'd') return Number.isInteger(value) ? String(value) : wrong(letter, value)
  if (letter === 'x' || letter === 'X') return letter === 'x' ? value.toString(16) : value.toString(16).toUpperCase()
  if (letter === 'o' || letter === 'b') return value.toString(letter === 'o' ? 8 : 2)
  if (letter === 'c') return String.fromCodePoint(value)
  if (letter === 'f' || letter === 'F') return value.toFixed(Number(precision ?? 6))
  if (letter === 'e') return value.toExponential(Number(precision ?? 6)).replace(/e([+-])(\d)$/, 'e$10$2')
  if (letter === 'g') return String(value)
  return wrong(letter, value)
}

const shortened = (text: string, precision: string | undefined): string =>
  precision === undefined ? text : [...text].slice(0, Number(precision)).join('')

const wrong = (letter: string, value: Value): string => `%!${letter}(${typeName(value)}=${shown(value)})`

function pad(text: string, { flags, width }: { readonly flags: string; readonly width: number }): string {
  if (width <= text.length || width > 10_000) return text
  if (flags.includes('-')) return text.padEnd(width)
  if (!flags.includes('0')) return text.padStart(width)
  return text.startsWith('-') ? `-${text.slice(1).padStart(width - 1, '0')}` : text.padStart(width, '0')
}
