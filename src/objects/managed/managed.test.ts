import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { atomOf } from '../fields/atom.ts'
import { compareValues } from '../fields/compare.ts'
import {
  difference,
  type FieldSet,
  intersection,
  isEmptySet,
  isSameSet,
  pathsOf,
  setOf,
  union,
} from '../fields/field-set.ts'
import { decodeFields, encodeFields, pathText } from '../fields/fields-v1.ts'
import { mergeValues } from '../fields/merge.ts'
import { fieldsOf } from '../fields/to-set.ts'
import type { AnyObject, Json, ManagedFieldsEntry } from '../object.ts'
import type { Schema } from '../schema.ts'
import { applyServerSide } from './apply.ts'
import { foldUpdates, updateManagedFields } from './update.ts'

const text: Schema = { type: 'string' }
const port: Schema = {
  type: 'object',
  properties: new Map<string, Schema>([
    ['port', { type: 'integer' }],
    ['protocol', { type: 'string', default: 'TCP' }],
    ['name', text],
  ]),
}
const spec: Schema = {
  type: 'object',
  properties: new Map<string, Schema>([
    ['a', text],
    ['b', text],
    ['labels', { type: 'object', values: text }],
    ['ports', { type: 'array', listType: 'map', listMapKeys: ['port', 'protocol'], items: port }],
    ['finalizers', { type: 'array', listType: 'set', items: text }],
    ['args', { type: 'array', listType: 'atomic', items: text }],
    ['selector', { type: 'object', mapType: 'atomic', values: text }],
    ['free', { type: 'object', preserveUnknownFields: true }],
  ]),
}
const schema: Schema = {
  type: 'object',
  properties: new Map<string, Schema>([
    ['apiVersion', text],
    ['kind', text],
    [
      'metadata',
      {
        type: 'object',
        properties: new Map<string, Schema>([
          ['name', text],
          ['labels', { type: 'object', values: text }],
        ]),
      },
    ],
    ['spec', spec],
    ['status', { type: 'object', values: text }],
  ]),
}

const thing = (value: Json): AnyObject =>
  ({ apiVersion: 'example.com/v1', kind: 'Thing', metadata: { name: 't' }, spec: value }) as unknown as AnyObject

interface State {
  readonly live: AnyObject | undefined
  readonly managed: readonly ManagedFieldsEntry[]
}

const nothing: State = { live: undefined, managed: [] }
const at = (second: number): string => `2025-01-01T00:00:${String(second).padStart(2, '0')}Z`

function apply(
  state: State,
  manager: string,
  config: Json,
  options: { readonly force?: boolean; readonly time?: string } = {},
) {
  return applyServerSide({
    live: state.live,
    liveManagedFields: state.managed,
    config: thing(config),
    manager,
    force: options.force ?? false,
    schema,
    apiVersion: 'example.com/v1',
    now: options.time ?? at(0),
  })
}

function applied(...parameters: Parameters<typeof apply>): State {
  const outcome = apply(...parameters)
  if (outcome.type !== 'applied') throw new Error(outcome.type === 'conflict' ? outcome.error.message : outcome.message)
  const live = outcome.object === parameters[0].live ? outcome.object : withoutNulls(outcome.object)
  return { live, managed: outcome.managedFields }
}

/** As it is stored: emptied containers, which apply leaves as null, are gone. */
const withoutNulls = (object: AnyObject): AnyObject =>
  JSON.parse(JSON.stringify(object, (_, value) => (value === null ? undefined : value))) as AnyObject

function updated(state: State, manager: string, value: Json, time = at(0)): State {
  const incoming = thing(value)
  const managed = updateManagedFields({
    live: state.live,
    incoming,
    managedFields: state.managed,
    schema,
    manager,
    apiVersion: 'example.com/v1',
    time,
  })
  return { live: incoming, managed }
}

const fields = (state: State, manager: string): unknown =>
  state.managed.find((entry) => entry.manager === manager)?.fieldsV1?.['f:spec']

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

const key = fc.constantFrom('x', 'y', 'z')
const value = fc.constantFrom('1', '2')
const arbitrarySpec: fc.Arbitrary<Json> = fc
  .record(
    {
      a: value,
      b: value,
      labels: fc.dictionary(key, value, { minKeys: 1, maxKeys: 3 }),
      ports: fc.uniqueArray(fc.record({ port: fc.integer({ min: 1, max: 3 }), name: value }), {
        selector: ({ port }) => port,
        minLength: 1,
        maxLength: 3,
      }),
      finalizers: fc.uniqueArray(key, { minLength: 1, maxLength: 3 }),
      args: fc.array(value, { minLength: 1, maxLength: 2 }),
      selector: fc.dictionary(key, value, { minKeys: 1, maxKeys: 2 }),
      free: fc.record({ p: fc.record({ q: value }) }),
    },
    { requiredKeys: [] },
  )
  .filter((record) => Object.keys(record).length > 0)
  .map((record) => JSON.parse(JSON.stringify(record)) as Json)

const manager = fc.constantFrom('one', 'two', 'three')
const history = fc.array(fc.tuple(manager, arbitrarySpec), { maxLength: 4 })
const replay = (writes: readonly (readonly [string, Json])[]): State =>
  writes.reduce((state, [name, config]) => applied(state, name, config, { force: true }), nothing)

describe('laws', () => {
  it('applying twice changes nothing', () => {
    fc.assert(
      fc.property(history, manager, arbitrarySpec, (writes, name, config) => {
        const once = applied(replay(writes), name, config, { force: true })
        const twice = applied(once, name, config, { time: at(9) })
        expect(twice.live).toBe(once.live)
        expect(twice.managed).toEqual(once.managed)
      }),
    )
  })

  it('the object holds what was applied last', () => {
    fc.assert(
      fc.property(history, manager, arbitrarySpec, (writes, name, config) => {
        const { live } = applied(replay(writes), name, config, { force: true })
        const again = mergeValues(live as unknown as Json, thing(config) as unknown as Json, atomOf(schema))
        expect(again).toEqual(live)
      }),
    )
  })

  it('two managers never disagree about a field that both own', () => {
    fc.assert(
      fc.property(history, arbitrarySpec, (writes, config) => {
        const before = replay(writes)
        const outcome = apply(before, 'one', config)
        if (outcome.type !== 'applied') return
        const set = fieldsOf(thing(config) as unknown as Json, atomOf(schema))
        for (const entry of before.managed) {
          if (entry.manager === 'one') continue
          const kept = outcome.managedFields.find((other) => other.manager === entry.manager)
          const shared = intersection(set, decodeFields(entry.fieldsV1 ?? {}))
          expect(isEmptySet(difference(shared, decodeFields(kept?.fieldsV1 ?? {})))).toBe(true)
        }
      }),
    )
  })

  it('a manager that applies nothing leaves no trace of its own', () => {
    fc.assert(
      fc.property(arbitrarySpec, (config) => {
        const gone = applied(applied(nothing, 'one', config), 'one', {})
        expect(gone.managed.every(({ fieldsV1 }) => JSON.stringify(fieldsV1) === '{"f:spec":{}}')).toBe(true)
        const left = fieldsOf((gone.live?.['spec'] ?? {}) as Json, atomOf(spec))
        expect([...pathsOf(left)].filter((path) => path.length > 1)).toEqual([])
      }),
    )
  })

  it('an update records exactly what it changed', () => {
    fc.assert(
      fc.property(arbitrarySpec, arbitrarySpec, (before, after) => {
        const state = updated(updated(nothing, 'one', before), 'two', after)
        const { added, modified } = compareValues(
          thing(before) as unknown as Json,
          thing(after) as unknown as Json,
          atomOf(schema),
        )
        const entry = state.managed.find(({ manager: name }) => name === 'two')
        expect(isSameSet(decodeFields(entry?.fieldsV1 ?? {}), union(added, modified))).toBe(true)
      }),
    )
  })

  it('sets come back from FieldsV1 as they went in', () => {
    fc.assert(
      fc.property(arbitrarySpec, (config) => {
        const set: FieldSet = fieldsOf(config, atomOf(spec))
        const copy = JSON.parse(JSON.stringify(encodeFields(set)))
        expect(isSameSet(decodeFields(copy), set)).toBe(true)
      }),
    )
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

describe('paths', () => {
  it('are written as people read them', () => {
    const set = setOf(
      ['f:spec', 'f:containers', 'k:{"name":"a"}', 'f:image'],
      ['f:metadata', 'f:finalizers', 'v:"x/y"'],
    )
    expect([...pathsOf(set)].map(pathText)).toEqual([
      '.metadata.finalizers[="x/y"]',
      '.spec.containers[name="a"].image',
    ])
  })
})
