// Lists as text: whole in each form, and in parts between which others can run.
import { expect, it } from 'vitest'
import { parse } from 'yaml'
import { type ObjectBody, serialize, type TextStyle } from './serialize.ts'

const list = (count: number, made: number[] = []): ObjectBody => {
  const head = { kind: 'ConfigMapList', apiVersion: 'v1', metadata: { resourceVersion: '7' } }
  function* each() {
    for (let i = 0; i < count; i += 1) {
      made.push(i)
      yield { metadata: { name: `m-${i}` }, data: { a: 'line\nother' } }
    }
  }
  return { object: { ...head, items: [...each()] } as never, elements: { head, key: 'items', each } }
}

const styles: readonly TextStyle[] = [
  { format: 'json', pretty: false },
  { format: 'json', pretty: true },
  { format: 'yaml', pretty: false },
]

it.each(styles)('a list is what its object would be: %j', (style) => {
  for (const count of [0, 1, 3]) {
    const body = list(count)
    const text = [...serialize(body, style)].join('')
    expect(parse(text)).toEqual(body.object)
    expect(text).toBe([...serialize({ object: body.object }, style)].join(''))
  }
})

it.each(styles)('elements are made as they are taken: %j', (style) => {
  const body = list(100)
  const made: number[] = []
  const lazy = list(100, made)
  made.length = 0
  let parts = 0
  for (const part of serialize({ ...lazy, object: body.object }, style)) {
    parts += 1
    if (part.includes('m-4')) break
  }
  expect(made).toEqual([0, 1, 2, 3, 4])
  expect(parts).toBeGreaterThan(5)
})
