// Seeded chance: sfc32 (Chris Doty-Humphrey, public domain), seeded by a hash of text so that a fork by name depends on
// seed and name only and never on how many numbers were drawn before.

import type { Random } from './world.ts'

const suffixAlphabet = 'bcdfghjklmnpqrstvwxz2456789'
/** Four hexadecimal digits of every 16-bit number: uids are made by the ten thousand. */
const hex4 = Array.from({ length: 0x1_0000 }, (_, i) => i.toString(16).padStart(4, '0'))

/** Four 32-bit words from a text: four FNV-1a lanes, mixed at the end. */
function seedWords(text: string): [number, number, number, number] {
  const words: [number, number, number, number] = [0x811c9dc5, 0x1b873593, 0x9e3779b9, 0x85ebca6b]
  for (let i = 0; i < text.length; i += 1) {
    const c = text.charCodeAt(i)
    words[0] = Math.imul(words[0] ^ c, 0x01000193)
    words[1] = Math.imul(words[1] ^ c, 0x85ebca77)
    words[2] = Math.imul(words[2] ^ (c + i), 0xc2b2ae3d)
    words[3] = Math.imul(words[3] ^ (c << (i & 7)), 0x27d4eb2f)
  }
  return words
}

export function seededRandom(seed: string): Random {
  let [a, b, c, d] = seedWords(seed)
  const draw = (): number => {
    const t = (((a + b) | 0) + d) | 0
    d = (d + 1) | 0
    a = b ^ (b >>> 9)
    b = (c + (c << 3)) | 0
    c = (c << 21) | (c >>> 11)
    c = (c + t) | 0
    return t >>> 0
  }
  for (let i = 0; i < 15; i += 1) draw()

  const high = (n: number): string => hex4[n >>> 16] ?? ''
  const low = (n: number): string => hex4[n & 0xffff] ?? ''
  const int = (limit: number): number => Math.floor((draw() / 0x1_0000_0000) * limit)
  return {
    next: () => (draw() * 0x20_0000 + (draw() >>> 11)) / 0x20_0000_0000_0000,
    int,
    uuid() {
      const [p, q, r, s] = [draw(), draw(), draw(), draw()]
      const version = low((q & 0xfff) | 0x4000)
      const variant = low(((r >>> 16) & 0x3fff) | 0x8000)
      return `${high(p)}${low(p)}-${high(q)}-${version}-${variant}-${low(r)}${high(s)}${low(s)}`
    },
    suffix(length = 5) {
      let text = ''
      for (let i = 0; i < length; i += 1) text += suffixAlphabet.charAt(int(suffixAlphabet.length))
      return text
    },
    fork: (name) => seededRandom(`${seed}/${name}`),
  }
}
