import { expect, test } from 'vitest'
import { valueAt } from './path.ts'

const object = {
  labels: { 'a.b/c': 'dotted' },
  list: [
    { type: 'A', n: 1 },
    { type: 'B', n: null },
    { type: 'A', n: 3 },
  ],
  zero: 0,
  nothing: null,
}

test.each([
  ['labels["a.b/c"]', 'dotted'],
  ['list[0].n', 1],
  ['list[-1].n', 3],
  ['list[type=A].n', 1],
  ['list[type=B].n', undefined],
  ['list[type=C].n', undefined],
  ['list[9]', undefined],
  ['labels[0]', undefined],
  ['zero', 0],
  ['zero.more', undefined],
  ['nothing', undefined],
  ['nothing.more', undefined],
  ['', object],
])('%s', (path, value) => {
  expect(valueAt(object, path)).toEqual(value)
})
