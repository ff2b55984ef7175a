// std: bytes, base64 and hashes.

import { createHash } from 'node:crypto'
import { JsonnetFault } from '../fault.ts'
import { arrayOf, integerOf, textOf, typeOf } from '../values/types.ts'
import { ArrayValue, force, type Lazy } from '../values/value.ts'
import { array } from './arrays.ts'
import { define, type Library } from './define.ts'

const hash = (name: string, algorithm: string) =>
  define(name, name === 'md5' ? 's' : 'str', (str) => createHash(algorithm).update(textOf(str)).digest('hex'))

function byteOf(lazy: Lazy): number {
  const value = force(lazy)
  if (typeof value !== 'number' || !Number.isInteger(value))
    throw new JsonnetFault(`base64 encountered a non-integer value in the array, got ${typeOf(value)}`)
  return checkedByte(value)
}

function checkedByte(value: number): number {
  if (value >= 0 && value <= 255) return value
  throw new JsonnetFault(
    `base64 encountered invalid codepoint value in the array (must be 0 <= X <= 255), got ${value}`,
  )
}

/** Of a text its UTF-8, where every character is below 256. */
function base64(input: Lazy): string {
  const value = force(input)
  if (value instanceof ArrayValue) return Buffer.from(value.elements.map(byteOf)).toString('base64')
  if (typeof value !== 'string')
    throw new JsonnetFault(`base64 can only base64 encode strings / arrays of single bytes, got ${typeOf(value)}`)
  const far = /[^\0-\u00ff]/u.exec(value)?.[0].codePointAt(0)
  if (far !== undefined) checkedByte(far)
  return Buffer.from(value).toString('base64')
}

function decoded(str: Lazy): Buffer {
  const text = textOf(str, (type) => `base64DecodeBytes requires a string, got ${type}`)
  const length = Buffer.byteLength(text)
  if (length % 4 !== 0)
    throw new JsonnetFault(`input string appears not to be a base64 encoded string. Wrong length found (${length})`)
  const end = /={0,2}$/.exec(text)?.index ?? text.length
  const wrong = /[^A-Za-z0-9+/]/.exec(text.slice(0, end))
  if (wrong !== null)
    throw new JsonnetFault(
      `failed to decode: illegal base64 data at input byte ${Buffer.byteLength(text.slice(0, wrong.index))}`,
    )
  return Buffer.from(text, 'base64')
}

export const encodings: Library = [
  hash('md5', 'md5'),
  hash('sha1', 'sha1'),
  hash('sha256', 'sha256'),
  hash('sha512', 'sha512'),
  hash('sha3', 'sha3-512'),
  define('base64', 'input', base64),
  define('base64Decode', 'str', (str) => decoded(str).toString()),
  define('base64DecodeBytes', 'str', (str) => array([...decoded(str)])),
  define('encodeUTF8', 'str', (str) => array([...Buffer.from(textOf(str))])),
  define('decodeUTF8', 'arr', (arr) => {
    const bytes = arrayOf(arr).map((element) => {
      const byte = integerOf(element)
      if (byte >= 0 && byte <= 255) return byte
      throw new JsonnetFault(`Bytes must be integers in range [0, 255], got ${byte}`)
    })
    return Buffer.from(bytes).toString()
  }),
]
