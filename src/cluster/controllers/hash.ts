// Short stable names for values: the hash in the names of ReplicaSets and ControllerRevisions. FNV-1a over a canonical
// text, written in the letters of rand.SafeEncodeString. Equal values hash alike whatever the order of their keys.

const letters = 'bcdfghjklmnpqrstvwxz2456789'
const textByValue = new WeakMap<object, string>()

/** `collisions` is mixed in when a name was taken by something else. */
export function hashOf(value: object, collisions?: number): string {
  let hash = fnv1a(0x811c9dc5, canonicalText(value))
  if (collisions !== undefined) {
    for (let shift = 0; shift < 64; shift += 8) hash = mix(hash, shift < 32 ? (collisions >>> shift) & 0xff : 0)
  }
  return safeEncode(String(hash >>> 0))
}

/** JSON with sorted keys. Cached by reference: values of the API are never changed. */
export function canonicalText(value: object): string {
  const known = textByValue.get(value)
  if (known !== undefined) return known
  const text = write(value)
  textByValue.set(value, text)
  return text
}

function write(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(write).join(',')}]`
  if (value === null || typeof value !== 'object') return JSON.stringify(value) ?? 'null'
  const entries = Object.entries(value)
    .filter(([, field]) => field !== undefined)
    .sort(([a], [b]) => (a < b ? -1 : 1))
  return `{${entries.map(([key, field]) => `${JSON.stringify(key)}:${write(field)}`).join(',')}}`
}

const mix = (hash: number, byte: number): number => Math.imul(hash ^ byte, 0x01000193)

function fnv1a(seed: number, text: string): number {
  let hash = seed
  for (const byte of new TextEncoder().encode(text)) hash = mix(hash, byte)
  return hash
}

/** Letters without vowels, so that no hash is a word. */
function safeEncode(text: string): string {
  let out = ''
  for (let i = 0; i < text.length; i++) out += letters[text.charCodeAt(i) % letters.length]
  return out
}
