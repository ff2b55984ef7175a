// What a plain scalar means to Kubernetes: the rules of sigs.k8s.io/yaml (YAML 1.1 with its own exceptions), measured in
// a table of facts. `yes` and `off` are booleans, `0777` is octal, `1_000` a number, dates and `12:30` stay strings.

export type ScalarValue = string | number | boolean | null

const words: ReadonlyMap<string, ScalarValue> = new Map<string, ScalarValue>([
  ...['y', 'Y', 'yes', 'Yes', 'YES', 'true', 'True', 'TRUE', 'on', 'On', 'ON'].map((word) => [word, true] as const),
  ...['n', 'N', 'no', 'No', 'NO', 'false', 'False', 'FALSE', 'off', 'Off', 'OFF'].map((word) => [word, false] as const),
  ...['', '~', 'null', 'Null', 'NULL'].map((word) => [word, null] as const),
  ...['.nan', '.NaN', '.NAN'].map((word) => [word, Number.NaN] as const),
  ...['.inf', '.Inf', '.INF', '+.inf', '+.Inf', '+.INF'].map((word) => [word, Number.POSITIVE_INFINITY] as const),
  ...['-.inf', '-.Inf', '-.INF'].map((word) => [word, Number.NEGATIVE_INFINITY] as const),
])

const floatStyle = /^[-+]?(\.[0-9]+|[0-9]+(\.[0-9]*)?)([eE][-+]?[0-9]+)?$/
const dateLike = /^[0-9]{4}-[0-9]{1,2}-[0-9]{1,2}($|[Tt ])/
const maxUint64 = 18446744073709551615n
const minInt64 = -9223372036854775808n

/** The value of an unquoted scalar without a tag. */
export function resolvePlain(text: string): ScalarValue {
  const word = words.get(text)
  if (word !== undefined) return word
  const first = text[0] ?? ''
  if (first === '.') return floatOf(text) ?? text
  const startsNumber = (first >= '0' && first <= '9') || first === '+' || first === '-'
  if (!startsNumber || dateLike.test(text)) return text
  const digits = text.replaceAll('_', '')
  return integerOf(digits) ?? (floatStyle.test(digits) ? floatOf(digits) : undefined) ?? text
}

/** Go's strconv.ParseInt (then ParseUint) with base 0: a prefix chooses the base, a leading zero means octal. */
export function integerOf(text: string): number | undefined {
  const match = /^([-+]?)(0[xX][0-9a-fA-F]+|0[oO][0-7]+|0[bB][01]+|0[0-7]*|[1-9][0-9]*)$/.exec(text)
  if (match === null) return undefined
  const [, sign, digits = ''] = match
  const octal = /^0[0-7]+$/.test(digits)
  const magnitude = BigInt(octal ? `0o${digits.slice(1)}` : digits)
  const value = sign === '-' ? -magnitude : magnitude
  if (value > maxUint64 || value < minInt64) return undefined
  return Number(value)
}

/** Undefined for what is no number, and for one that a 64-bit float cannot hold. */
export function floatOf(text: string): number | undefined {
  if (!floatStyle.test(text)) return undefined
  const value = Number(text)
  return Number.isFinite(value) ? value : undefined
}
