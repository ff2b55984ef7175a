import { expect, test } from 'vitest'
import { splitDocuments } from './yaml-stream.ts'

test('documents that hold nothing are left out, whatever that nothing is', () => {
  const stream = ['', '# a comment', '---', '  \t', '\r', '---', 'a: 1', '--- # more', '\n\n# only this', '---', 'b: 2']
  expect(splitDocuments(stream.join('\n')).map(({ text, line }) => [text, line])).toEqual([
    ['a: 1', 6],
    ['b: 2', 12],
  ])
})

// By a hundred thousand lines, anything slower than linear would not end.
test.each([
  ['empty lines', '\n'],
  ['blank lines', ' \t\n'],
  ['comments', '# x\n'],
  ['spaces', ' '],
])('a document that begins with many %s is read at once', (_name, filler) => {
  expect(splitDocuments(`${filler.repeat(100_000)}x`)).toHaveLength(1)
})
