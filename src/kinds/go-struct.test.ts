import { expect, it } from 'vitest'
import { asGoStruct, goMap, goStruct } from './go-struct.ts'

it('prints a struct in the order of its type and a map by its keys', () => {
  const struct = goStruct('Name="" Port=0 TargetPort:target')
  expect(JSON.stringify(asGoStruct(struct, { target: 'x', name: 'a' }))).toBe('{"Name":"a","Port":0,"TargetPort":"x"}')
  expect(JSON.stringify(goMap({ z: '1', a: '2' }))).toBe('{"a":"2","z":"1"}')
  expect(goMap(undefined)).toBeNull()
})
