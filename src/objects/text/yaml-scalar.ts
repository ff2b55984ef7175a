// What a plain YAML scalar means to Kubernetes, which reads YAML 1.1 with go-yaml: `on` and `y` are true, `010` is eight,
// dates stay text.

import type { Json } from '../object.ts'

/** A value that JSON cannot hold: infinity or not-a-number. */
export type Unsupported = { readonly unsupported: '+Inf' | '-Inf' | 'NaN' }

const words = new Map<string, Json | Unsupported>()
const spellings: readonly (readonly [Json | Unsupported, string])[] = [
  [true, 'y Y yes Yes YES true True TRUE on On ON'],
  [false, 'n N no No NO false False FALSE off Off OFF'],
  [null, '~ null Null NULL'],
  [{ unsupported: 'NaN' }, '.nan .NaN .NAN'],
  [{ unsupported: '+Inf' }, '.inf .Inf .INF +.inf +.Inf +.INF'],
  [{ unsupported: '-Inf' }, '-.inf -.Inf -.INF'],
]
for (const [value, texts] of spellings) for (const text of texts.split(' ')) words.set(text, value)
words.set('', null)

const float = /^[-+]?(\.[0-9]+|[0-9]+(\.[0-9]*)?)([eE][-+]?[0-9]+)?$/
const radixes: readonly (readonly [RegExp, number])[] = [
  [/^0[xX]([0-9a-fA-F]+)$/, 16],
  [/^0[bB]([01]+)$/, 2],
  [/^0[oO]?([0-7]+)$/, 8],
  [/^(0|[1-9][0-9]*)$/, 10],
]
const maxUnsigned = 2n ** 64n

/** The value of an unquoted scalar without a tag. */
export function resolvePlainScalar(text: string): Json | Unsupported {
  const word = words.get(text)
  if (word !== undefined) return word
  const first = text.charCodeAt(0)
  const numeric = first === 43 || first === 45 || first === 46 || (first >= 48 && first <= 57)
  return numeric ? (numberOf(text) ?? text) : text
}

/** The number that a text spells, if it does. */
export function numberOf(text: string): number | undefined {
  const plain = text.replaceAll('_', '')
  const whole = wholeOf(plain)
  if (whole !== undefined) return whole
  if (!float.test(plain)) return undefined
  const value = Number(plain)
  return Number.isFinite(value) ? value : undefined
}

function wholeOf(text: string): number | undefined {
  const negative = text.startsWith('-')
  const digits = negative || text.startsWith('+') ? text.slice(1) : text
  for (const [pattern, radix] of radixes) {
    const match = pattern.exec(digits)
    if (match === null) continue
    const value = Number.parseInt(match[1] ?? '', radix)
    const tooLarge = radix === 10 && value > Number.MAX_SAFE_INTEGER && BigInt(digits) >= maxUnsigned
    return tooLarge ? undefined : negative ? -value || 0 : value
  }
  return undefined
}
