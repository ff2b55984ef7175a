import { expect, it } from 'vitest'
import type { Json } from '../object.ts'
import { type PatchKind, patchFault } from './shape.ts'

it.each<[PatchKind, Json, string | undefined]>([
  ['json', {}, 'error decoding patch: json: cannot unmarshal object into Go value of type []handlers.jsonPatchOp'],
  ['json', ['x'], 'error decoding patch: json: cannot unmarshal string into Go value of type handlers.jsonPatchOp'],
  [
    'json',
    [{ op: 5 }],
    'error decoding patch: json: cannot unmarshal number into Go struct field jsonPatchOp.op of type string',
  ],
  ['json', [{ op: 'remove', path: '/a' }], undefined],
  ['merge', [1], 'error decoding patch: json: cannot unmarshal array into Go value of type map[string]interface {}'],
  ['merge', null, 'Invalid JSON Patch'],
  ['merge', {}, undefined],
  ['strategic', 'x', 'json: cannot unmarshal string into Go value of type map[string]interface {}'],
])('%s patch %j', (kind, value, fault) => {
  expect(patchFault(value, kind)).toBe(fault)
})
