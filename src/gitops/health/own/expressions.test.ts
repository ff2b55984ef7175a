import { describe, expect, test } from 'vitest'
import type { HealthExpression } from '#gitops/customizations'
import type { AnyObject } from '#objects'
import { healthByExpressions } from './expressions.ts'

const key = 'resource.customizations.healthExpressions.example.io_Widget'
const judge = (rules: readonly HealthExpression[], more: object = {}) => {
  const object: AnyObject = {
    apiVersion: 'example.io/v1',
    kind: 'Widget',
    metadata: { name: 'w', generation: 2 },
    ...more,
  }
  return healthByExpressions({ key, rules }, object)
}
const phases: readonly HealthExpression[] = [
  { status: 'suspended', when: 'has(spec.paused) && spec.paused' },
  { status: 'inProgress', when: "status.phase == 'Building'" },
  { status: 'failed', when: "status.phase == 'Broken'", message: "status.reason + ' of ' + metadata.name" },
  { status: 'current', when: "status.conditions.exists(c, c.type == 'Ready' && c.status == 'True')" },
]
const ready = [{ type: 'Ready', status: 'True' }]

describe('health expressions', () => {
  test.each([
    [{ spec: { paused: true }, status: { phase: 'Broken' } }, 'Suspended', undefined],
    [{ status: { phase: 'Building', conditions: ready } }, 'Progressing', undefined],
    [{ status: { phase: 'Broken', reason: 'Fire' } }, 'Degraded', 'Fire of w'],
    [{ status: { phase: 'Broken' } }, 'Degraded', undefined],
    [{ status: { phase: 'Done', conditions: ready } }, 'Healthy', undefined],
    [{ status: { phase: 'Done', conditions: [] } }, 'Progressing', 'no expression holds'],
    [{}, 'Progressing', 'no expression holds'],
    [
      { status: { observedGeneration: 1, conditions: ready } },
      'Progressing',
      'generation is 2, but latest observed generation is 1',
    ],
    [{ status: { observedGeneration: 2, conditions: ready } }, 'Healthy', undefined],
  ])('%j is %s', (more, status, message) => {
    const verdict = judge(phases, more)
    expect([verdict.status, verdict.message, verdict.fault]).toEqual([status, message, undefined])
  })

  test.each([
    ["metadata.annotations['a.b/c-d'] == 'x'", { metadata: { name: 'w', annotations: { 'a.b/c-d': 'x' } } }],
    ['status.count >= 2', { status: { count: 2 } }],
    ['status.list[0].in_use', { status: { list: [{ in_use: true }] } }],
    ['status.?conditions.orValue([]).size() == 0', {}],
    ["self.extra == 'y'", { extra: 'y' }],
    ["data.ready == 'yes'", { data: { ready: 'yes' } }],
  ])('%s', (when, more) => {
    expect(judge([{ status: 'current', when }], more).status).toBe('Healthy')
  })

  test('may go through lists inside of lists unless they are too long for that', () => {
    const when = 'status.list.all(a, status.list.exists(b, a == b))'
    const of = (length: number) => judge([{ status: 'current', when }], { status: { list: Array(length).fill(1) } })
    expect(of(100).status).toBe('Healthy')
    expect(of(10_000).fault).toMatch(/\[0\]\.when: goes through lists inside of lists, 2 deep/)
    const once = judge([{ status: 'current', when: 'status.list.all(a, a == 1)' }], {
      status: { list: Array(10_000).fill(1) },
    })
    expect(once.status).toBe('Healthy')
  })

  test.each<[rule: HealthExpression, message: RegExp]>([
    [{ status: 'current', when: 'status.phase ==' }, /\[0\]\.when: compilation failed: ERROR: <input>:1:/],
    [{ status: 'current', when: 'nobody.knows' }, /\[0\]\.when: compilation failed/],
    [{ status: 'current', when: "'yes'" }, /\[0\]\.when: must be true or false, not string/],
    [{ status: 'current', when: 'true', message: '1' }, /\[0\]\.message: must be a string, not int/],
    [{ status: 'current', when: '1 / 0 == 1' }, /\[0\]\.when: .*zero/],
  ])('%j is told with its key', (rule, message) => {
    const verdict = judge([rule])
    expect(verdict.status).toBe('Unknown')
    expect(verdict.fault).toMatch(message)
    expect(verdict.fault).toContain(`argocd-cm ${key}`)
  })
})
