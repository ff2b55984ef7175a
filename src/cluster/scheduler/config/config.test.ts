import { describe, expect, it } from 'vitest'
import { defaultArgs } from '../plugin-args.ts'
import { defaultScores, filterNames, type Profile, pluginsOf } from '../profiles.ts'
import { parseSchedulerConfig } from './read-config.ts'

const head = 'apiVersion: kubescheduler.config.k8s.io/v1\nkind: KubeSchedulerConfiguration\n'

const profilesOf = (text: string): readonly Profile[] => {
  const { config, faults } = parseSchedulerConfig(head + text)
  expect(faults ?? []).toEqual([])
  return config?.profiles ?? []
}

const faultsOf = (text: string): readonly string[] =>
  (parseSchedulerConfig(text).faults ?? []).map(({ field, message }) => `${field}: ${message}`)

describe('a scheduler configuration', () => {
  it('that says nothing is the usual one', () => {
    const { config } = parseSchedulerConfig(head)
    expect(config).toEqual({
      profiles: [{ schedulerName: 'default-scheduler' }],
      backoff: { initialSeconds: 1, maxSeconds: 10 },
    })
  })

  it('disables and enables plug-ins at one point or at all of them', () => {
    const [first, second, third] = profilesOf(`
profiles:
  - schedulerName: default-scheduler
  - schedulerName: no-scores
    plugins: { score: { disabled: [{ name: '*' }] }, filter: { disabled: [{ name: NodePorts }] } }
  - schedulerName: images-first
    plugins:
      multiPoint:
        disabled: [{ name: '*' }]
        enabled: [{ name: DefaultBinder }, { name: PrioritySort }, { name: SchedulingGates }, { name: TaintToleration }]
      score: { enabled: [{ name: ImageLocality, weight: 7 }] }
`)
    expect(first?.filters).toBeUndefined()
    expect(second).toMatchObject({ filters: filterNames.filter((name) => name !== 'NodePorts'), scores: [] })
    expect(second?.preempts).toBe(true)
    expect(third).toMatchObject({
      filters: ['TaintToleration'],
      scores: [
        { name: 'TaintToleration', weight: 3 },
        { name: 'ImageLocality', weight: 7 },
      ],
      preempts: false,
    })
  })

  it('changes a weight in its place', () => {
    const [profile] = profilesOf(`
profiles: [{ plugins: { multiPoint: { enabled: [{ name: NodeAffinity, weight: 9 }] } } }]
`)
    expect(profile?.scores).toEqual(
      defaultScores.map(({ name, weight }) => ({ name, weight: name === 'NodeAffinity' ? 9 : weight })),
    )
  })

  it('gives plug-ins their arguments', () => {
    const [profile] = profilesOf(`
percentageOfNodesToScore: 30
profiles:
  - schedulerName: packer
    percentageOfNodesToScore: 70
    pluginConfig:
      - name: NodeResourcesFit
        args:
          apiVersion: kubescheduler.config.k8s.io/v1
          kind: NodeResourcesFitArgs
          ignoredResourceGroups: [example.com]
          scoringStrategy:
            type: RequestedToCapacityRatio
            resources: [{ name: cpu, weight: 3 }, { name: nvidia.com/gpu }]
            requestedToCapacityRatio: { shape: [{ utilization: 0, score: 0 }, { utilization: 100, score: 10 }] }
      - name: InterPodAffinity
        args: { hardPodAffinityWeight: 50 }
      - name: PodTopologySpread
        args:
          defaultingType: List
          defaultConstraints: [{ maxSkew: 1, topologyKey: rack, whenUnsatisfiable: DoNotSchedule }]
`)
    expect(profile?.percentageOfNodesToScore).toBe(70)
    expect(profile?.args).toEqual({
      ...defaultArgs,
      fit: {
        ignoredResources: [],
        ignoredResourceGroups: ['example.com'],
        scoringStrategy: {
          type: 'RequestedToCapacityRatio',
          resources: [
            { name: 'cpu', weight: 3 },
            { name: 'nvidia.com/gpu', weight: 1 },
          ],
          shape: [
            { utilization: 0, score: 0 },
            { utilization: 100, score: 10 },
          ],
        },
      },
      interPodAffinity: { hardPodAffinityWeight: 50, ignorePreferredTermsOfExistingPods: false },
      spread: {
        defaultingType: 'List',
        defaultConstraints: [{ maxSkew: 1, topologyKey: 'rack', whenUnsatisfiable: 'DoNotSchedule' }],
      },
    })
    expect(profile === undefined ? 0 : pluginsOf(profile).percentageOfNodesToScore).toBe(70)
  })

  it.each<readonly [string, readonly string[]]>([
    ['[]', ['']],
    [`${head}profils: []`, ['profils']],
    ['apiVersion: v1\nkind: KubeSchedulerConfiguration', ['apiVersion']],
    [`${head}percentageOfNodesToScore: 101`, ['percentageOfNodesToScore']],
    [`${head}podInitialBackoffSeconds: 20`, ['podMaxBackoffSeconds']],
    [`${head}profiles: [{}, { schedulerName: x }]`, ['profiles[0].schedulerName']],
    [`${head}profiles: [{ schedulerName: x }, { schedulerName: x }]`, ['profiles[1].schedulerName']],
    [`${head}extenders: [{ urlPrefix: 'http://x' }]`, ['extenders']],
    [
      `${head}profiles: [{ plugins: { score: { enabled: [{ name: NodeName }] } } }]`,
      ['profiles[0].plugins.score.enabled[0].name'],
    ],
    [
      `${head}profiles: [{ plugins: { filter: { enabled: [{ name: Coscheduling }] } } }]`,
      ['profiles[0].plugins.filter.enabled[0].name'],
    ],
    [`${head}profiles: [{ plugins: { bind: { disabled: [{ name: '*' }] } } }]`, ['profiles[0].plugins.bind']],
    [`${head}profiles: [{ pluginConfig: [{ name: NodeName, args: {} }] }]`, ['profiles[0].pluginConfig[0].name']],
    [
      `${head}profiles: [{ pluginConfig: [{ name: NodeResourcesFit, args: { scoringStrategy: { type: Most } } }] }]`,
      ['profiles[0].pluginConfig[0].args.scoringStrategy.type'],
    ],
    [
      `${head}profiles: [{ pluginConfig: [{ name: InterPodAffinity, args: { hardPodAffinityWeight: 101 } }] }]`,
      ['profiles[0].pluginConfig[0].args.hardPodAffinityWeight'],
    ],
  ])('names the field at fault: %s', (text, fields) => {
    expect(faultsOf(text).map((fault) => fault.split(': ')[0])).toEqual(fields)
  })

  it('says what is allowed', () => {
    expect(
      faultsOf(`${head}profiles: [{ pluginConfig: [{ name: VolumeBinding, args: { bindTimeoutSeconds: -1 } }] }]`),
    ).toEqual(['profiles[0].pluginConfig[0].args.bindTimeoutSeconds: is -1, must be a whole number of at least 0'])
  })
})
