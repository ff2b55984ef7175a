import { describe, expect, it } from 'vitest'
import type { Container, PodSpec } from '../generated/types.ts'
import { podWarnings } from './warnings.ts'

const app: Container = { name: 'app', image: 'app:1' }
const withApp = (container: Partial<Container>): Partial<PodSpec> => ({ containers: [{ ...app, ...container }] })

describe('a pod is warned', () => {
  it.each<[string, Partial<PodSpec>, readonly string[]]>([
    ['of nothing', {}, []],
    [
      'of old node labels',
      { nodeSelector: { 'beta.kubernetes.io/os': 'linux' } },
      ['spec.nodeSelector[beta.kubernetes.io/os]: deprecated since v1.14; use "kubernetes.io/os" instead'],
    ],
    [
      'of old labels in terms',
      {
        topologySpreadConstraints: [
          { maxSkew: 1, topologyKey: 'beta.kubernetes.io/arch', whenUnsatisfiable: 'DoNotSchedule', labelSelector: {} },
        ],
      },
      [
        'spec.topologySpreadConstraints[0].topologyKey: beta.kubernetes.io/arch is deprecated since v1.14; use "kubernetes.io/arch" instead',
      ],
    ],
    [
      'of files that get in the way of each other',
      {
        volumes: [
          {
            name: 'v',
            projected: {
              sources: [
                { configMap: { name: 'c', items: [{ key: 'a', path: 'd/a' }] } },
                { secret: { name: 's', items: [{ key: 'a', path: 'd' }] } },
              ],
            },
          },
        ],
      },
      ['volume "v" (Projected): overlapping paths: "d" (Secret "s") with "d/a" (ConfigMap "c")'],
    ],
    [
      'of storage that is gone',
      { volumes: [{ name: 'v', cephfs: { monitors: ['m'] } }] },
      ['spec.volumes[0].cephfs: deprecated in v1.28, non-functional in v1.31+'],
    ],
    [
      'of parts of bytes',
      withApp({ resources: { requests: { memory: '100m' } } }),
      ['spec.containers[0].resources.requests[memory]: fractional byte value "100m" is invalid, must be an integer'],
    ],
    [
      'of addresses in other forms than the standard one',
      { dnsConfig: { nameservers: ['10.0.0.010'] }, hostAliases: [{ ip: 'FD00::1' }] },
      [
        'spec.dnsConfig.nameservers[0]: non-standard IP address "10.0.0.010" will be considered invalid in a future Kubernetes release: use "10.0.0.10"',
        'spec.hostAliases[0].ip: IPv6 address "FD00::1" should be in RFC 5952 canonical format ("fd00::1")',
      ],
    ],
    [
      'of ports of one name',
      {
        initContainers: [{ ...app, ports: [{ name: 'web', containerPort: 80 }] }],
        containers: [{ ...app, ports: [{ name: 'web', containerPort: 81 }] }],
      },
      [
        'spec.containers[0].ports[0]: duplicate port name "web" with spec.initContainers[0].ports[0], services and probes that select ports by name will use spec.initContainers[0].ports[0]',
      ],
    ],
    [
      'of variables that hide others, unless they build on them',
      withApp({
        env: [
          { name: 'A', value: 'a' },
          { name: 'A', value: '$(A)/b' },
          { name: 'A', value: 'c' },
        ],
      }),
      ['spec.containers[0].env[2]: hides previous definition of "A", which may be dropped when using apply'],
    ],
    [
      'of ports that are named twice',
      { containers: ['a', 'b'].map((name) => ({ ...app, name, ports: [{ containerPort: 80 }] })) },
      ['spec.containers[1].ports[0]: duplicate port definition with spec.containers[0].ports[0]'],
    ],
    [
      'of secrets without names, and of names given twice',
      { imagePullSecrets: [{ name: 'a' }, { name: 'a' }, {}] },
      ['spec.imagePullSecrets[1].name: duplicate name "a"', 'spec.imagePullSecrets[2].name: invalid empty name ""'],
    ],
  ])('%s', (_what, spec, expected) => {
    expect(podWarnings({ containers: [app], ...spec }, { name: 'p' })).toEqual(expected)
  })

  it('of annotations that nothing reads', () => {
    const annotations = { 'seccomp.security.alpha.kubernetes.io/pod': 'runtime/default' }
    expect(podWarnings({ containers: [app] }, { name: 'p', annotations })).toEqual([
      'metadata.annotations[seccomp.security.alpha.kubernetes.io/pod]: non-functional in v1.27+; use the "seccompProfile" field instead',
    ])
  })
})
