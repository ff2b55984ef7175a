import { describe, expect, it } from 'vitest'
import type { PodCondition, PodStatus } from '#kinds'
import { toldStatus } from './pod-status.ts'

const condition = (type: string, status: 'True' | 'False' = 'True'): PodCondition => ({ type, status })

const own: PodStatus = { phase: 'Running', conditions: [condition('Ready'), condition('ContainersReady')] }

const shown = ({ phase, conditions = [] }: PodStatus): string => `${phase} ${conditions.map(({ type }) => type).join()}`

describe('toldStatus', () => {
  it.each<[string, PodStatus, PodStatus, boolean, string]>([
    ['nobody else has said anything', own, { phase: 'Pending' }, true, 'Running Ready,ContainersReady'],
    [
      'conditions of others come first',
      own,
      { phase: 'Running', conditions: [condition('Ready'), condition('example.com/gate')] },
      true,
      'Running example.com/gate,Ready,ContainersReady',
    ],
    [
      'an end is not told while containers could run',
      { ...own, phase: 'Failed' },
      { phase: 'Running' },
      true,
      'Running Ready,ContainersReady',
    ],
    ['and is told then', { ...own, phase: 'Failed' }, { phase: 'Running' }, false, 'Failed Ready,ContainersReady'],
  ])('%s', (_name, mine, api, couldRun, expected) => {
    expect(shown(toldStatus(mine, api, couldRun))).toBe(expected)
  })

  it('leaves the claims of the pod as they are', () => {
    const resourceClaimStatuses = [{ name: 'gpu', resourceClaimName: 'web-gpu-x' }]
    expect(toldStatus(own, { phase: 'Pending', resourceClaimStatuses }, true)).toEqual({
      ...own,
      resourceClaimStatuses,
    })
  })
})
