import { describe, expect, it } from 'vitest'
import type { FieldError } from '../field-error.ts'
import type { Container, PodSpec } from '../generated/types.ts'
import { templateDefaults } from './defaults.ts'
import { checkPodSpecOfPod, checkTemplate } from './validate.ts'

const app: Container = { name: 'app', image: 'app:1' }

function complete(spec: Partial<PodSpec>): PodSpec {
  const template = templateDefaults({ spec: { containers: [app], serviceAccountName: 'default', ...spec } })
  if (template.spec === undefined) throw new Error('a template keeps its spec')
  return template.spec
}

function faultsOf(spec: Partial<PodSpec>): readonly string[] {
  const errors: FieldError[] = []
  checkPodSpecOfPod(complete(spec), { name: 'p' }, errors)
  return errors.map(({ field, message }) => `${field}: ${message}`)
}

const withApp = (container: Partial<Container>): Partial<PodSpec> => ({ containers: [{ ...app, ...container }] })
const emptyDir = { name: 'v', emptyDir: {} }

describe('a Pod', () => {
  it.each<[string, Partial<PodSpec>, readonly string[]]>([
    ['with a sound spec', { volumes: [emptyDir] }, []],
    ['without containers', { containers: [] }, ['spec.containers: Required value']],
    [
      'with two volume types',
      { volumes: [{ ...emptyDir, hostPath: { path: '/a' } }] },
      ['spec.volumes[0].hostPath: Forbidden: may not specify more than 1 volume type'],
    ],
    ['with volumes of one name', { volumes: [emptyDir, emptyDir] }, ['spec.volumes[1].name: Duplicate value: "v"']],
    [
      'with a host path that goes up',
      { volumes: [{ name: 'v', hostPath: { path: '/a/../b', type: 'Dir' as 'Directory' } }] },
      [
        'spec.volumes[0].hostPath.path: Invalid value: "/a/../b": must not contain \'..\'',
        'spec.volumes[0].hostPath.type: Unsupported value: "Dir": supported values: "", "BlockDevice", "CharDevice", "Directory", "DirectoryOrCreate", "File", "FileOrCreate", "Socket"',
      ],
    ],
    [
      'with a mount of nothing',
      withApp({ volumeMounts: [{ name: 'x', mountPath: '/a' }] }),
      ['spec.containers[0].volumeMounts[0].name: Not found: "x"'],
    ],
    [
      'with two handlers of one probe',
      withApp({ livenessProbe: { exec: { command: ['a'] }, tcpSocket: { port: 1 } } }),
      ['spec.containers[0].livenessProbe.tcpSocket: Forbidden: may not specify more than 1 handler type'],
    ],
    [
      'with a grace period of a readiness probe',
      withApp({ readinessProbe: { exec: { command: ['a'] }, terminationGracePeriodSeconds: 3 } }),
      [
        'spec.containers[0].readinessProbe.terminationGracePeriodSeconds: Invalid value: 3: must not be set for readinessProbes',
      ],
    ],
    [
      'with a sleep beyond its grace period',
      { ...withApp({ lifecycle: { preStop: { sleep: { seconds: 60 } } } }), terminationGracePeriodSeconds: 30 },
      [
        'spec.containers[0].lifecycle.preStop.sleep: Invalid value: 60: must be non-negative and less than terminationGracePeriodSeconds (30)',
      ],
    ],
    [
      'with one host port twice',
      {
        containers: ['a', 'b'].map((name) => ({
          ...app,
          name,
          ports: [{ containerPort: 1, hostPort: 80, protocol: 'TCP' as const }],
        })),
      },
      ['spec.containers[1].ports[0].hostPort: Duplicate value: "TCP//80"'],
    ],
    [
      'with an init container that has probes',
      { initContainers: [{ ...app, name: 'i', startupProbe: { exec: { command: ['a'] } } }] },
      [
        'spec.initContainers[0].startupProbe: Forbidden: may not be set for init containers without restartPolicy=Always',
      ],
    ],
    [
      'with a sidecar that has probes',
      { initContainers: [{ ...app, name: 'i', restartPolicy: 'Always', startupProbe: { exec: { command: ['a'] } } }] },
      [],
    ],
    ['with a container that restarts on its own', withApp({ restartPolicy: 'Always' }), []],
    [
      'with huge pages alone',
      withApp({ resources: { limits: { 'hugepages-2Mi': '2Mi' } } }),
      ['spec.containers[0].resources: Forbidden: HugePages require cpu or memory'],
    ],
    [
      'with DNS of its own and no server',
      { dnsPolicy: 'None' },
      ['spec.dnsConfig: Required value: must provide `dnsConfig` when `dnsPolicy` is None'],
    ],
    [
      'with a blank before its image',
      withApp({ image: ' app' }),
      ['spec.containers[0].image: Invalid value: " app": must not have leading or trailing whitespace'],
    ],
    [
      'with two forms of one variable',
      withApp({ env: [{ name: 'A', value: 'a', valueFrom: { fieldRef: { fieldPath: 'metadata.name' } } }] }),
      ['spec.containers[0].env[0].valueFrom: Invalid value: "": may not be specified when `value` is not empty'],
    ],
    [
      'with an operating system of no name',
      { os: { name: '' as 'linux' } },
      ['spec.os.name: Required value: cannot be empty'],
    ],
    [
      'with claims of all its containers together',
      { resources: { claims: [{ name: 'c' }] } },
      [
        'spec.resources.claims: Forbidden: claims may not be set for Resources at pod-level',
        'spec.resources.claims[0]: Not found: "c": must be one of the names in pod.spec.resourceClaims which is empty',
      ],
    ],
    [
      'that keeps its claim for a claim it makes',
      {
        volumes: [
          {
            name: 'e',
            ephemeral: {
              volumeClaimTemplate: {
                spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } } },
              },
            },
          },
          { name: 'v', persistentVolumeClaim: { claimName: 'p-e' } },
        ],
      },
      [
        'spec.volumes[1].persistentVolumeClaim.claimName: Invalid value: "p-e": must not reference a PVC that gets created for an ephemeral volume',
      ],
    ],
  ])('%s', (_what, spec, expected) => {
    expect(faultsOf(spec)).toEqual(expected)
  })
})

it('checks one spec once', () => {
  const spec = complete({})
  const errors: FieldError[] = []
  checkPodSpecOfPod(spec, { name: 'a' }, errors)
  const started = performance.now()
  for (let i = 0; i < 100_000; i++) checkPodSpecOfPod(spec, { name: 'b' }, errors)
  expect(performance.now() - started).toBeLessThan(500)
  expect(errors).toEqual([])
})

it('does not look at blanks around images in templates', () => {
  const errors: FieldError[] = []
  checkTemplate(
    { metadata: { labels: { a: 'b' } }, spec: complete(withApp({ image: 'app ' })) },
    'spec.template',
    errors,
  )
  expect(errors).toEqual([])
})
