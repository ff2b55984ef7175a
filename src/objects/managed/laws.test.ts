import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import {
  applied,
  apply,
  at,
  nothing,
  type State,
  schema,
  spec,
  thing,
  updated,
} from '../../../test/support/managed-fields.ts'
import { atomOf } from '../fields/atom.ts'
import { compareValues } from '../fields/compare.ts'
import { difference, type FieldSet, intersection, isEmptySet, isSameSet, pathsOf, union } from '../fields/field-set.ts'
import { decodeFields, encodeFields } from '../fields/fields-v1.ts'
import { mergeValues } from '../fields/merge.ts'
import { fieldsOf } from '../fields/to-set.ts'
import type { Json } from '../object.ts'

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
