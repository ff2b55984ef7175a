import { describe, expect, it } from 'vitest'
import {
  applied,
  apply,
  at,
  fields,
  nothing,
  type State,
  schema,
  spec,
  text,
  thing,
  updated,
} from '../../../test/support/managed-fields.ts'
import type { AnyObject, Json } from '../object.ts'
import type { Schema } from '../schema.ts'
import { applyServerSide } from './apply.ts'
import { updateManagedFields } from './update.ts'

describe('server-side apply', () => {
  it('owns what the configuration names, list elements by their keys with defaults', () => {
    const state = applied(nothing, 'one', { ports: [{ port: 80, name: 'web' }], args: ['x'], selector: { s: '1' } })
    expect(fields(state, 'one')).toEqual({
      'f:args': {},
      'f:ports': { 'k:{"port":80,"protocol":"TCP"}': { '.': {}, 'f:name': {}, 'f:port': {} } },
      'f:selector': {},
    })
  })

  it('removes what the manager no longer applies and nobody else owns', () => {
    const one = applied(nothing, 'one', { a: '1', b: '1', ports: [{ port: 80 }, { port: 81 }] })
    const two = applied(one, 'two', { b: '1' })
    const less = applied(two, 'one', { ports: [{ port: 81 }] })
    expect(less.live?.['spec']).toEqual({ b: '1', ports: [{ port: 81 }] })
  })

  it('refuses to change what others own, and takes it by force', () => {
    const one = applied(nothing, 'one', { a: '1', labels: { x: '1' } })
    expect(apply(one, 'two', { a: '2', labels: { x: '2' } })).toEqual({
      type: 'conflict',
      error: {
        code: 409,
        reason: 'Conflict',
        message: 'Apply failed with 2 conflicts: conflicts with "one":\n- .spec.a\n- .spec.labels.x',
        details: {
          causes: [
            { reason: 'FieldManagerConflict', message: 'conflict with "one"', field: '.spec.a' },
            { reason: 'FieldManagerConflict', message: 'conflict with "one"', field: '.spec.labels.x' },
          ],
        },
      },
    })
    const forced = applied(one, 'two', { a: '2' }, { force: true })
    expect(forced.live?.['spec']).toEqual({ a: '2', labels: { x: '1' } })
    expect(fields(forced, 'one')).toEqual({ 'f:labels': { 'f:x': {} } })
  })

  it('conflicts with updates of others, by version', () => {
    const one = updated(applied(nothing, 'one', { b: '1' }), 'ctl', { a: '1', b: '1' })
    expect(apply(one, 'two', { a: '2' })).toMatchObject({
      error: { message: 'Apply failed with 1 conflict: conflict with "ctl" using example.com/v1: .spec.a' },
    })
  })

  it('has everything that nobody owns yet belong to before-first-apply', () => {
    const state = applied({ live: thing({ a: '1' }), managed: [] }, 'one', { b: '1' })
    expect(state.managed.map(({ manager, operation }) => [manager, operation])).toEqual([
      ['one', 'Apply'],
      ['before-first-apply', 'Update'],
    ])
  })

  it('keeps the live order of lists unless the configuration sets another', () => {
    const ports = (...numbers: number[]) => ({ ports: numbers.map((port) => ({ port })) })
    const numbers = (state: State) =>
      ((state.live?.['spec'] ?? { ports: [] }) as { ports: { port: number }[] }).ports.map(({ port }) => port)
    const live = applied(nothing, 'one', ports(1, 2, 3))
    expect(numbers(applied(live, 'two', ports(4)))).toEqual([1, 2, 3, 4])
    expect(numbers(applied(live, 'two', ports(3, 1)))).toEqual([2, 3, 1])
  })

  it.each<[Json, string]>([
    [
      { nope: 1 },
      'failed to create typed patch object (/t; example.com/v1, Kind=Thing): .spec.nope: field not declared in schema',
    ],
    [
      { a: 1 },
      'failed to create typed patch object (/t; example.com/v1, Kind=Thing): .spec.a: expected string, got &value.valueUnstructured{Value:1}',
    ],
    [
      { finalizers: ['q', 'q'] },
      'failed to create typed patch object (/t; example.com/v1, Kind=Thing): .spec.finalizers: duplicate entries for key [="q"]',
    ],
  ])('refuses %j', (config, message) => {
    expect(apply(nothing, 'one', config)).toEqual({ type: 'invalid', message })
  })

  it('lets kubectl take what it applied from the client', () => {
    const annotation = 'kubectl.kubernetes.io/last-applied-configuration'
    const last = JSON.stringify(thing({ a: '1' }))
    const live = {
      ...thing({ a: '1', b: '1' }),
      metadata: { name: 't', annotations: { [annotation]: last } },
    } as AnyObject
    const open: Schema = {
      ...schema,
      properties: new Map([
        ...(schema.properties ?? []),
        ['metadata', { type: 'object', preserveUnknownFields: true }],
      ]),
    }
    const write = {
      live: undefined,
      incoming: live,
      managedFields: [],
      schema: open,
      apiVersion: 'example.com/v1',
      time: at(0),
    }
    const managed = updateManagedFields({ ...write, manager: 'kubectl-client-side-apply' })
    const base = {
      live,
      liveManagedFields: managed,
      manager: 'kubectl',
      force: false,
      schema: open,
      apiVersion: 'example.com/v1',
      now: at(1),
    }
    const taken = applyServerSide({ ...base, config: thing({ a: '2' }) })
    if (taken.type !== 'applied') throw new Error(taken.type)
    expect(taken.object['spec']).toEqual({ a: '2', b: '1' })
    expect(taken.object.metadata.annotations?.[annotation]).toBe(
      `${JSON.stringify({ apiVersion: 'example.com/v1', kind: 'Thing', metadata: { name: 't' }, spec: { a: '2' } })}\n`,
    )
    expect(applyServerSide({ ...base, config: thing({ b: '2' }) }).type).toBe('conflict')
  })
})

describe('a schema that changes', () => {
  it('has what became atomic owned as a whole', () => {
    const one = applied(nothing, 'one', { labels: { x: '1' } })
    const atomic: Schema = {
      ...spec,
      properties: new Map([
        ...(spec.properties ?? []),
        ['labels', { type: 'object', mapType: 'atomic', values: text }],
      ]),
    }
    const changed: Schema = { ...schema, properties: new Map([...(schema.properties ?? []), ['spec', atomic]]) }
    const write = {
      live: one.live,
      liveManagedFields: one.managed,
      config: thing({ labels: { y: '1' } }),
      manager: 'two',
      force: false,
    }
    expect(applyServerSide({ ...write, schema: changed, apiVersion: 'example.com/v1', now: at(1) })).toMatchObject({
      error: { message: 'Apply failed with 1 conflict: conflict with "one": .spec.labels' },
    })
  })
})
