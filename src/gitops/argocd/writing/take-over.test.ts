import { expect, test } from 'vitest'
import type { JsonObject, ManagedFieldsEntry } from '#objects'
import { takenOver } from './take-over.ts'

const entry = (
  manager: string,
  operation: 'Apply' | 'Update',
  fieldsV1: JsonObject,
  more: object = {},
): ManagedFieldsEntry => ({
  manager,
  operation,
  apiVersion: 'v1',
  fieldsType: 'FieldsV1',
  fieldsV1,
  ...more,
})
const kubectl = 'kubectl-client-side-apply'

test('what kubectl owns is ours, beside what was ours; others keep theirs', () => {
  const own = entry('argocd-controller', 'Apply', { 'f:data': { 'f:a': {} } }, { time: 't' })
  const theirs = entry(kubectl, 'Update', { 'f:data': { '.': {}, 'f:b': {} }, 'f:type': {} })
  const others = [
    entry('helm', 'Update', { 'f:data': { 'f:c': {} } }),
    entry(kubectl, 'Update', { 'f:status': {} }, { subresource: 'status' }),
  ]
  expect(takenOver([own, theirs, ...others], kubectl)).toEqual([
    { ...own, fieldsV1: { 'f:data': { '.': {}, 'f:a': {}, 'f:b': {} }, 'f:type': {} } },
    ...others,
  ])
})

test('a whole field of one and parts of it of the other are both kept', () => {
  const own = entry('argocd-controller', 'Apply', { 'f:spec': {} })
  const theirs = entry(kubectl, 'Update', { 'f:spec': { 'f:x': {} } })
  expect(takenOver([own, theirs], kubectl)?.[0]?.fieldsV1).toEqual({ 'f:spec': { '.': {}, 'f:x': {} } })
})

test('without a set of ours theirs becomes it; what is not theirs is left alone', () => {
  const theirs = entry(kubectl, 'Update', { 'f:data': {} })
  expect(takenOver([theirs], kubectl)).toEqual([{ ...theirs, manager: 'argocd-controller', operation: 'Apply' }])
  expect(takenOver([theirs], 'helm')).toBeUndefined()
})
