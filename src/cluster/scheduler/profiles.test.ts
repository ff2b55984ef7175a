import { describe, expect, it } from 'vitest'
import { nodesToFind } from './cycle.ts'
import { defaultProfile, defaultScores, filterNames, pluginsOf } from './profiles.ts'

describe('a profile', () => {
  it('is the usual one', () => {
    expect(pluginsOf(defaultProfile).filters.map(({ name }) => name)).toEqual([
      'NodeUnschedulable',
      'NodeName',
      'TaintToleration',
      'NodeAffinity',
      'NodePorts',
      'NodeResourcesFit',
      'VolumeRestrictions',
      'NodeVolumeLimits',
      'VolumeBinding',
      'VolumeZone',
      'PodTopologySpread',
      'InterPodAffinity',
      'DynamicResources',
    ])
  })

  it('leaves plug-ins out and weighs others anew', () => {
    const plugins = pluginsOf({
      schedulerName: 'mine',
      filters: filterNames.filter((name) => name !== 'NodePorts'),
      scores: defaultScores.map(({ name, weight }) => ({ name, weight: name === 'ImageLocality' ? 10 : weight })),
    })
    expect(plugins.filters.some(({ name }) => name === 'NodePorts')).toBe(false)
    expect(plugins.scores.find(({ plugin }) => plugin.name === 'ImageLocality')?.weight).toBe(10)
  })

  it.each<readonly [number, number | undefined, number]>([
    [50, undefined, 50],
    [5000, undefined, 500],
    [5000, 10, 500],
    [5000, 100, 5000],
    [5000, 1, 100],
  ])('with %i nodes and %s percent looks for %i', (nodes, percent, expected) => {
    expect(nodesToFind(nodes, percent)).toBe(expected)
  })
})
