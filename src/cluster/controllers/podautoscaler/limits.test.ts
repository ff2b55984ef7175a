import { describe, expect, it } from 'vitest'
import type { HPAScalingRules } from '#kinds'
import { type History, noHistory } from './history.ts'
import { limit, type Wish, withStep } from './limits.ts'

const now = 1_000_000
const rules = (policies: HPAScalingRules['policies'], more: Partial<HPAScalingRules> = {}): HPAScalingRules => ({
  stabilizationWindowSeconds: 0,
  selectPolicy: 'Max',
  ...(policies === undefined ? {} : { policies }),
  ...more,
})
const pods = (value: number, periodSeconds = 60) => ({ type: 'Pods', value, periodSeconds })
const percent = (value: number, periodSeconds = 60) => ({ type: 'Percent', value, periodSeconds })

const wish = (current: number, desired: number, change: Partial<Wish> = {}): Wish => ({
  current,
  desired,
  min: 1,
  max: 100,
  history: noHistory,
  now,
  ...change,
})
const result = (one: Wish) => {
  const { replicas, limited } = limit(one)
  return `${replicas} ${limited.status} ${limited.reason}`
}

describe('limits of a step', () => {
  it.each<readonly [string, Wish, string]>([
    ['usual rate', wish(5, 50), '10 True ScaleUpLimit'],
    ['usual rate from one', wish(1, 50), '4 True ScaleUpLimit'],
    ['maximum', wish(5, 50, { max: 8 }), '8 True TooManyReplicas'],
    ['minimum', wish(5, 0), '1 True TooFewReplicas'],
    ['within', wish(5, 7), '7 False DesiredWithinRange'],
    ['pods policy', wish(5, 50, { behavior: { scaleUp: rules([pods(2)]) } }), '7 True ScaleUpLimit'],
    ['percent policy', wish(5, 50, { behavior: { scaleUp: rules([percent(50)]) } }), '8 True ScaleUpLimit'],
    ['largest', wish(5, 50, { behavior: { scaleUp: rules([pods(2), percent(200)]) } }), '15 True ScaleUpLimit'],
    [
      'smallest',
      wish(5, 50, { behavior: { scaleUp: rules([pods(2), percent(200)], { selectPolicy: 'Min' }) } }),
      '7 True ScaleUpLimit',
    ],
    [
      'disabled',
      wish(5, 50, { behavior: { scaleUp: rules([], { selectPolicy: 'Disabled' }) } }),
      '5 True ScaleUpLimit',
    ],
    ['down by pods', wish(50, 5, { behavior: { scaleDown: rules([pods(3)]) } }), '47 True ScaleDownLimit'],
    ['down by percent', wish(50, 5, { behavior: { scaleDown: rules([percent(10)]) } }), '45 True ScaleDownLimit'],
    [
      'down smallest',
      wish(50, 5, { behavior: { scaleDown: rules([percent(10), pods(1)], { selectPolicy: 'Min' }) } }),
      '49 True ScaleDownLimit',
    ],
  ])('%s', (_name, one, expected) => {
    expect(result(one)).toBe(expected)
  })

  it('counts what was done in the period', () => {
    const behavior = { scaleUp: rules([pods(4)]) }
    const first = wish(10, 50, { behavior })
    const history = withStep(first, 10, 14)
    expect(history.ups).toEqual([{ change: 4, at: now }])
    expect(result(wish(14, 50, { behavior, history, now: now + 30_000 }))).toBe('14 True ScaleUpLimit')
    expect(result(wish(14, 50, { behavior, history, now: now + 60_000 }))).toBe('18 True ScaleUpLimit')
  })

  it('waits as long as its windows say', () => {
    const history: History = { ...noHistory, recommendations: [{ replicas: 6, at: now - 50_000 }] }
    const up = { scaleUp: rules([pods(100)], { stabilizationWindowSeconds: 60 }) }
    const held = limit(wish(5, 20, { behavior: up, history }))
    expect([held.replicas, held.able.reason]).toEqual([6, 'ScaleUpStabilized'])
    expect(limit(wish(5, 20, { behavior: up, history, now: now + 10_001 })).replicas).toBe(20)
    const down = { scaleDown: rules([pods(100)], { stabilizationWindowSeconds: 60 }) }
    expect(limit(wish(8, 2, { behavior: down, history })).replicas).toBe(6)
    expect(limit(wish(8, 2, { history })).able.reason).toBe('ScaleDownStabilized')
  })
})
