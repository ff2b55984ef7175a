import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { parse } from 'yaml'
import { readCustomizations } from './index.ts'

test('the examples of docs/health.md can be read', () => {
  const blocks = readFileSync('docs/health.md', 'utf8').match(/(?:^ {4}.*\n|^\n)+/gm) ?? []
  const examples = blocks.map((block) => block.replace(/^ {4}/gm, '').trim()).filter((text) => /^resource\./.test(text))
  expect(examples).toHaveLength(4)
  for (const example of examples) {
    const read = readCustomizations(parse(example) as Record<string, string>)
    expect(read.faults, example).toEqual([])
    expect(read.all.length).toBeGreaterThan(0)
  }
})
