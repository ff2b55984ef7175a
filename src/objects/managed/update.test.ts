import { describe, expect, it } from 'vitest'
import { at, fields, nothing, schema, thing, updated } from '../../../test/support/managed-fields.ts'
import type { ManagedFieldsEntry } from '../object.ts'
import { foldUpdates, updateManagedFields } from './update.ts'

describe('updates', () => {
  it('give the writer what it added and changed, and take that from others', () => {
    const created = updated(nothing, 'one', { a: '1', labels: { x: '1', y: '1' } })
    const changed = updated(created, 'two', { a: '2', labels: { x: '1', z: '1' } })
    expect(fields(changed, 'one')).toEqual({ '.': {}, 'f:labels': { '.': {}, 'f:x': {} } })
    expect(fields(changed, 'two')).toEqual({ 'f:a': {}, 'f:labels': { 'f:z': {} } })
  })

  it('that change nothing leave the entries alone', () => {
    const created = updated(nothing, 'one', { a: '1' })
    expect(updated(created, 'two', { a: '1' }, at(5)).managed).toBe(created.managed)
  })

  it('keep the entry of a writer together, with the time of its last change', () => {
    const once = updated(nothing, 'one', { a: '1' })
    const twice = updated(once, 'one', { a: '1', b: '1' }, at(5))
    expect(twice.managed).toHaveLength(1)
    expect(twice.managed[0]).toMatchObject({ manager: 'one', time: at(5) })
    expect(fields(twice, 'one')).toEqual({ '.': {}, 'f:a': {}, 'f:b': {} })
  })

  it('of a writer who changes its own fields again move on its time only', () => {
    const created = updated(updated(nothing, 'one', { a: '1' }), 'two', { a: '1', b: '1' }, at(1))
    const again = updated(created, 'two', { a: '1', b: '2' }, at(5))
    expect(again.managed).toHaveLength(2)
    expect(again.managed).toEqual([created.managed[0], { ...created.managed[1], time: at(5) }])
  })

  it('worked out together are the same as one after the other', () => {
    const values = [{ a: '1' }, { a: '2', b: '1' }, { b: '2' }, { b: '3', labels: { x: '1' } }]
    const writes = values.map((value, i) => ({
      live: i === 0 ? undefined : thing(values[i - 1] ?? {}),
      incoming: thing(value),
      schema,
      manager: i % 2 === 0 ? 'one' : 'two',
      apiVersion: 'example.com/v1',
      time: at(i),
    }))
    const stepwise = writes.reduce<readonly ManagedFieldsEntry[]>(
      (managedFields, write) => updateManagedFields({ ...write, managedFields }),
      [],
    )
    expect(foldUpdates([], writes)).toEqual(stepwise)
  })

  it('do not own what names the object, nor what they cannot change', () => {
    const incoming = { ...thing({ a: '1' }), status: { phase: 'x' } }
    const write = {
      live: undefined,
      managedFields: [],
      schema,
      manager: 'one',
      apiVersion: 'example.com/v1',
      time: at(0),
    }
    const [entry] = updateManagedFields({ ...write, incoming })
    expect(entry?.fieldsV1).toEqual({ 'f:spec': { '.': {}, 'f:a': {} } })
    const [ofStatus] = updateManagedFields({ ...write, incoming, subresource: 'status' })
    expect(ofStatus).toMatchObject({ subresource: 'status', fieldsV1: { 'f:status': { '.': {}, 'f:phase': {} } } })
  })

  it('of objects that nobody manages are not recorded', () => {
    const live = thing({ a: '1' })
    expect(updated({ live, managed: [] }, 'one', { a: '2' }).managed).toEqual([])
  })

  it('are put together when there are more than ten', () => {
    let state = updated(nothing, 'm00', { labels: { l00: '1' } })
    const labels: Record<string, string> = { l00: '1' }
    for (let i = 1; i < 14; i++) {
      const name = String(i).padStart(2, '0')
      labels[`l${name}`] = '1'
      state = updated(state, `m${name}`, { labels: { ...labels } }, at(i))
    }
    expect(state.managed).toHaveLength(10)
    const ancient = state.managed.find(({ manager }) => manager === 'ancient-changes')
    expect(
      Object.keys((ancient?.fieldsV1?.['f:spec'] as { 'f:labels'?: object } | undefined)?.['f:labels'] ?? {}),
    ).toEqual(['.', 'f:l00', 'f:l01', 'f:l02', 'f:l03', 'f:l04'])
  })
})
