import { describe, expect, test } from 'vitest'
import type { AnyObject } from '#objects'
import { evaluate, isBehind, type Rule, type Step, type Test } from './rule.ts'

const boat = (rest: object = {}) =>
  ({
    apiVersion: 'sea.example/v1',
    kind: 'Boat',
    metadata: { name: 'x', generation: 3 },
    ...rest,
  }) as unknown as AnyObject

const conditions = (...listed: readonly object[]) => ({ status: { conditions: listed } })
const end: Step = { answer: ['Progressing', 'waiting'] }
const judge = (rule: Rule, rest: object = {}) => {
  const { status, message } = evaluate([...rule, end], boat(rest))
  return message === undefined ? status : `${status}: ${message}`
}

describe('steps', () => {
  test('the first that answers wins, and the last needs no test', () => {
    const rule: Rule = [
      { when: [['spec.anchored', 'is', true]], answer: ['Suspended', 'at anchor'] },
      { when: [['spec.hull', 'set']], answer: ['Healthy', 'afloat'] },
    ]
    expect(judge(rule, { spec: { anchored: true, hull: 'oak' } })).toBe('Suspended: at anchor')
    expect(judge(rule, { spec: { hull: 'oak' } })).toBe('Healthy: afloat')
    expect(judge(rule)).toBe('Progressing: waiting')
  })

  test('conditions are asked in the order in which the object lists them', () => {
    const rule: Rule = [{ conditions: { 'Leak=True': ['Degraded'], 'Ready=True': ['Healthy', 'sails'] } }]
    const leak = { type: 'Leak', status: 'True', message: 'water below' }
    const ready = { type: 'Ready', status: 'True', message: 'all set' }
    expect(judge(rule, conditions(leak, ready))).toBe('Degraded: water below')
    expect(judge(rule, conditions(ready, leak))).toBe('Healthy: sails')
    expect(judge(rule, conditions({ ...leak, status: 'False' }))).toBe('Progressing: waiting')
    expect(judge(rule, { status: { conditions: 'none' } })).toBe('Progressing: waiting')
  })

  test('steps of their own rank one condition over another, wherever it stands', () => {
    const rule: Rule = [{ conditions: { 'Leak=True': ['Degraded'] } }, { conditions: { 'Ready=True': ['Healthy'] } }]
    const listed = conditions({ type: 'Ready', status: 'True' }, { type: 'Leak', status: 'True', message: 'wet' })
    expect(judge(rule, listed)).toBe('Degraded: wet')
  })

  test('conditions may stand elsewhere', () => {
    const rule: Rule = [
      { at: 'status.mast.conditions', conditions: { 'Up!=True': ['Degraded', '{.type} is {.status}'] } },
    ]
    expect(judge(rule, { status: { mast: { conditions: [{ type: 'Up', status: 'Unknown' }] } } })).toBe(
      'Degraded: Up is Unknown',
    )
  })

  test('a field decides by its word; other words answer together or not at all', () => {
    const values = { Sailing: ['Healthy', '{kind}: {.}'], 0: ['Progressing', 'none'] } as const
    const closed: Rule = [{ field: 'status.phase', values, otherwise: ['Degraded', 'lost: {.}'] }]
    expect(judge(closed, { status: { phase: 'Sailing' } })).toBe('Healthy: Boat: Sailing')
    expect(judge(closed, { status: { phase: 0 } })).toBe('Progressing: none')
    expect(judge(closed, { status: { phase: 'Sunk' } })).toBe('Degraded: lost: Sunk')
    expect(judge(closed, { status: { phase: 'toString' } })).toBe('Degraded: lost: toString')
    expect(judge(closed)).toBe('Progressing: waiting')
    expect(judge([{ field: 'status.phase', values }], { status: { phase: 'Sunk' } })).toBe('Progressing: waiting')
  })

  test('steps under a guard fall through when none of them answers', () => {
    const rule: Rule = [
      { when: [['spec.sail', 'set']], steps: [{ when: [['status.wind', 'is', 0]], answer: ['Degraded', 'calm'] }] },
    ]
    expect(judge(rule, { spec: { sail: 'main' }, status: { wind: 0 } })).toBe('Degraded: calm')
    expect(judge(rule, { spec: { sail: 'main' }, status: { wind: 5 } })).toBe('Progressing: waiting')
    expect(judge(rule, { status: { wind: 0 } })).toBe('Progressing: waiting')
  })

  test('a rule that does not answer is Unknown', () => {
    expect(evaluate([], boat()).status).toBe('Unknown')
  })
})

describe('tests', () => {
  const cases: readonly (readonly [Test, object, boolean])[] = [
    [['status', 'unset'], {}, true],
    [['status', 'unset'], { status: null }, true],
    [['status', 'set'], { status: {} }, true],
    [['status', 'empty'], { status: {} }, true],
    [['status', 'empty'], {}, false],
    [['spec.crew', 'is', 1, 2], { spec: { crew: 2 } }, true],
    [['spec.crew', 'is', 1], { spec: { crew: '1' } }, false],
    [['spec.crew', 'not', 1], {}, true],
    [['spec.crew', 'same', 'status.crew'], { spec: { crew: 1 }, status: { crew: 1 } }, true],
    [['spec.crew', 'differs', 'status.crew'], { spec: { crew: 1 } }, true],
    [['status.crew', 'below', 'spec.crew'], { spec: { crew: 1 } }, true],
    [['status.crew', 'below', 1], { status: { crew: 1 } }, false],
    [['status.crew', 'atLeast', 1], { status: { crew: 1 } }, true],
    [['status.crew', 'atLeast', 1], { status: { crew: 'many' } }, false],
    [['status.conditions', 'has', 'A=True', 'B'], conditions({ type: 'B', status: 'False' }), true],
    [['status.conditions', 'has', 'A=True'], conditions({ type: 'A', status: 'False' }), false],
  ]
  test.each(cases)('%j on %j: %s', (check, rest, holds) => {
    expect(judge([{ when: [check], answer: ['Healthy'] }], rest)).toBe(holds ? 'Healthy' : 'Progressing: waiting')
  })

  test('a controller is behind only where it says what it has seen', () => {
    const rule: Rule = [{ when: isBehind, answer: ['Progressing', 'old'] }]
    expect(judge(rule, { status: { observedGeneration: 2 } })).toBe('Progressing: old')
    expect(judge(rule, { status: { observedGeneration: 3 } })).toBe('Progressing: waiting')
    expect(judge(rule, { status: {} })).toBe('Progressing: waiting')
  })
})

describe('messages', () => {
  test('the first is taken whose places are all set', () => {
    const rule: Rule = [{ answer: ['Healthy', '{status.port} of {status.sea}', 'near {status.sea}', 'somewhere'] }]
    expect(judge(rule, { status: { port: 'Kiel', sea: 'Baltic' } })).toBe('Healthy: Kiel of Baltic')
    expect(judge(rule, { status: { sea: 'Baltic' } })).toBe('Healthy: near Baltic')
    expect(judge(rule)).toBe('Healthy: somewhere')
  })

  test('a place with ! must also say something', () => {
    const rule: Rule = [{ answer: ['Healthy', 'in {status.port!}', 'at sea'] }]
    expect(judge(rule, { status: { port: '' } })).toBe('Healthy: at sea')
  })

  test('an empty message is none', () => {
    expect(judge([{ answer: ['Healthy', ''] }])).toBe('Healthy')
  })
})

describe('proofs', () => {
  const proofOf = (rule: Rule, rest: object = {}) => evaluate([...rule, end], boat(rest)).proof

  test('name the field, its value and why', () => {
    expect(
      proofOf([{ when: [['status.crew', 'below', 'spec.crew']], answer: ['Degraded'] }], {
        spec: { crew: 3 },
        status: { crew: 1 },
      }),
    ).toEqual({ field: 'status.crew', value: 1, rule: 'is below spec.crew' })
    expect(
      proofOf(
        [{ conditions: { 'Ready=False': ['Degraded'] } }],
        conditions({ type: 'Ready', status: 'False', reason: 'Rot' }),
      ),
    ).toEqual({ field: 'status.conditions[type=Ready]', value: 'False (Rot)', rule: 'condition Ready=False' })
    expect(
      proofOf([{ field: 'status.phase', values: { Up: ['Healthy'] } }], { status: { phase: 'Up' } }),
    ).toMatchObject({
      field: 'status.phase',
      value: 'Up',
    })
    expect(proofOf([])).toEqual({ field: 'status', rule: 'nothing more is said' })
  })
})
