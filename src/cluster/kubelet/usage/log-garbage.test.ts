import { expect, it } from 'vitest'
import { logFigures } from './log-garbage.ts'

const mebi = 1024 ** 2
const kilobyte = { afterSeconds: 0, everySeconds: 1, text: 'x'.repeat(1024 - 42) }

it.each([
  ['nothing', undefined, 100, { bytes: 0, rotations: 0 }],
  ['a line that was not written yet', [{ afterSeconds: 5, text: 'late' }], 4, { bytes: 0, rotations: 0 }],
  ['one line', [{ afterSeconds: 5, text: 'late' }], 6, { bytes: 46, rotations: 0 }],
  ['a file that is full', [kilobyte], 10 * 1024 - 1, { bytes: 10 * mebi, rotations: 1 }],
  ['five files at the most', [kilobyte], 100 * 1024 - 1, { bytes: 40 * mebi, rotations: 10 }],
])('the log of a container: %s', (_name, lines, seconds, expected) => {
  expect(logFigures(lines, seconds)).toEqual(expected)
})
