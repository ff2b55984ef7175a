// Seeded chance: sfc32 (Chris Doty-Humphrey, public domain), seeded by a hash of text so that a fork by name depends on
// seed and name only and never on how many numbers were drawn before.

import type { Random } from './world.ts'

const suffixAlphabet = 'bcdfghjklmnpqrstvwxz2456789'
const dash = 45

/** The character of a hexadecimal digit. */
const digit = (word: number, shift: number): number => {
  const value = (word >>> shift) & 15
  return value < 10 ? 48 + value : 87 + value
}

/**
 * A UUID from four words. Uids are made by the ten thousand and kept: made of characters they are one flat string, where
 * joining parts would leave a tree of them.
 */
// biome-ignore format: one line for each group of digits
const uuidOf = (p: number, q: number, r: number, s: number): string =>
  String.fromCharCode(
    digit(p, 28), digit(p, 24), digit(p, 20), digit(p, 16), digit(p, 12), digit(p, 8), digit(p, 4), digit(p, 0), dash,
    digit(q, 28), digit(q, 24), digit(q, 20), digit(q, 16), dash,
    digit(4, 0), digit(q, 8), digit(q, 4), digit(q, 0), dash,
    digit(8 | ((r >>> 28) & 3), 0), digit(r, 24), digit(r, 20), digit(r, 16), dash,
    digit(r, 12), digit(r, 8), digit(r, 4), digit(r, 0), digit(s, 28), digit(s, 24), digit(s, 20), digit(s, 16),
    digit(s, 12), digit(s, 8), digit(s, 4), digit(s, 0),
  )

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

  const int = (limit: number): number => Math.floor((draw() / 0x1_0000_0000) * limit)
  return {
    next: () => (draw() * 0x20_0000 + (draw() >>> 11)) / 0x20_0000_0000_0000,
    int,
    hex(length) {
      const codes = new Array<number>(length)
      let word = 0
      for (let i = 0; i < length; i += 1) {
        if (i % 8 === 0) word = draw()
        codes[i] = digit(word, 28 - 4 * (i % 8))
      }
      return String.fromCharCode(...codes)
    },
    uuid: () => uuidOf(draw(), draw(), draw(), draw()),
    suffix(length = 5) {
      let text = ''
      for (let i = 0; i < length; i += 1) text += suffixAlphabet.charAt(int(suffixAlphabet.length))
      return text
    },
    fork: (name) => seededRandom(`${seed}/${name}`),
  }
}
