// The functions of the language itself (cel-go's common/stdlib): types of operators, sizes, conversions, texts and time.

import { matchesPattern, patternFault } from '../../customresource/pattern.ts'
import type { Functions } from '../types/functions.ts'
import { type CelMap, sizeOfMap } from '../values/typed.ts'
import { addConversions } from './conversions.ts'
import { lettersOf } from './strings.ts'
import { addTime } from './time.ts'

const comparable =
  'bool bool|int int|int double|int uint|uint uint|uint double|uint int|double double|double int|double uint|string string|bytes bytes|timestamp timestamp|duration duration'
    .split('|')
    .map((pair) => pair.replace(' ', ', '))

const operators: Readonly<Record<string, readonly string[]>> = {
  '_?_:_': ['(bool, A, A) -> A'],
  '_&&_': ['(bool, bool) -> bool'],
  '_||_': ['(bool, bool) -> bool'],
  '!_': ['(bool) -> bool'],
  '@not_strictly_false': ['(bool) -> bool'],
  '_==_': ['(A, A) -> bool'],
  '_!=_': ['(A, A) -> bool'],
  '_+_': [
    '(bytes, bytes) -> bytes',
    '(double, double) -> double',
    '(duration, duration) -> duration',
    '(duration, timestamp) -> timestamp',
    '(timestamp, duration) -> timestamp',
    '(int, int) -> int',
    '(list(A), list(A)) -> list(A)',
    '(string, string) -> string',
    '(uint, uint) -> uint',
  ],
  '_-_': [
    '(double, double) -> double',
    '(duration, duration) -> duration',
    '(int, int) -> int',
    '(timestamp, duration) -> timestamp',
    '(timestamp, timestamp) -> duration',
    '(uint, uint) -> uint',
  ],
  '_*_': ['(double, double) -> double', '(int, int) -> int', '(uint, uint) -> uint'],
  '_/_': ['(double, double) -> double', '(int, int) -> int', '(uint, uint) -> uint'],
  '_%_': ['(int, int) -> int', '(uint, uint) -> uint'],
  '-_': ['(double) -> double', '(int) -> int'],
  '_<_': comparable.map((pair) => `(${pair}) -> bool`),
  '_<=_': comparable.map((pair) => `(${pair}) -> bool`),
  '_>_': comparable.map((pair) => `(${pair}) -> bool`),
  '_>=_': comparable.map((pair) => `(${pair}) -> bool`),
  '_[_]': [
    '(list(A), int) -> A',
    '(map(A, B), A) -> B',
    '(optional_type(list(V)), int) -> optional_type(V)',
    '(optional_type(map(K, V)), K) -> optional_type(V)',
  ],
  '_[?_]': [
    '(list(V), int) -> optional_type(V)',
    '(optional_type(list(V)), int) -> optional_type(V)',
    '(map(K, V), K) -> optional_type(V)',
    '(optional_type(map(K, V)), K) -> optional_type(V)',
  ],
  '@in': ['(A, list(A)) -> bool', '(A, map(A, B)) -> bool'],
  'cel.@mapInsert': ['(map(K, V), K, V) -> map(K, V)', '(map(K, V), map(K, V)) -> map(K, V)'],
}

function matches(text: string, pattern: string): boolean {
  const fault = patternFault(pattern)
  if (fault !== undefined) throw new Error(fault)
  return matchesPattern(pattern, text)
}

const sizes: readonly (readonly [type: string, size: (value: never) => number])[] = [
  ['bytes', (value: Uint8Array) => value.length],
  ['list(A)', (value: readonly unknown[]) => value.length],
  ['map(A, B)', (value: CelMap) => sizeOfMap(value)],
  ['string', (value: string) => lettersOf(value).length],
]

export function addStandard(functions: Functions): void {
  for (const [name, signatures] of Object.entries(operators))
    for (const signature of signatures) functions.declare(name, signature)
  for (const [type, size] of sizes) {
    const count = (value: never): bigint => BigInt(size(value))
    functions.declare('size', `(${type}) -> int`, count)
    functions.declare('size', `${type}.() -> int`, count)
  }
  functions.declare('contains', 'string.(string) -> bool', (text: string, part: string) => text.includes(part))
  functions.declare('endsWith', 'string.(string) -> bool', (text: string, end: string) => text.endsWith(end))
  functions.declare('startsWith', 'string.(string) -> bool', (text: string, begin: string) => text.startsWith(begin))
  functions.declare('matches', '(string, string) -> bool', matches)
  functions.declare('matches', 'string.(string) -> bool', matches)
  addConversions(functions)
  addTime(functions)
}
