import { describe, expect, it } from 'vitest'
import type { Container, Pod, PodSpec } from '../generated/types.ts'
import { ownDefaults } from '../podspec/defaults.ts'
import { validateEphemeralContainers } from './ephemeral-containers.ts'
import { podRules } from './index.ts'
import { validateResize } from './resize.ts'
import { validatePodStatus } from './status.ts'

type Annotations = Readonly<Record<string, string>>
type Amounts = NonNullable<Container['resources']>

const app = (resources: Amounts = {}): Container => ({
  name: 'app',
  image: 'app:1',
  imagePullPolicy: 'Always',
  terminationMessagePolicy: 'File',
  resources,
})

const pod = (spec: Partial<PodSpec>, more: { annotations?: Annotations; status?: Pod['status'] } = {}): Pod => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name: 'p', ...(more.annotations === undefined ? {} : { annotations: more.annotations }) },
  spec: ownDefaults({ containers: [app()], ...spec }),
  ...(more.status === undefined ? {} : { status: more.status }),
})

const mirrored = { annotations: { 'kubernetes.io/config.mirror': 'x' } }

const shown = (faults: readonly { readonly field: string; readonly message: string }[]): readonly string[] =>
  faults.map(({ field, message }) => `${field}: ${message}`)

const sized = (resources: Amounts): Partial<PodSpec> => ({ containers: [app(resources)] })

const gpu = { name: 'gpu', resourceClaimName: 'gpu' }

describe('a resize', () => {
  it.each<[string, Pod, Pod, readonly string[]]>([
    ['changes CPU', pod(sized({ requests: { cpu: '1' } })), pod(sized({ requests: { cpu: '2' } })), []],
    ['is not for static pods', pod({}, mirrored), pod({}, mirrored), ['[]: Forbidden: static pods cannot be resized']],
    [
      'keeps the containers',
      pod({}),
      pod({ containers: [app(), { ...app(), name: 'b' }] }),
      ['spec.containers: Forbidden: containers may not be added or removed on resize'],
    ],
    [
      'takes nothing away',
      pod(sized({ requests: { cpu: '1', memory: '1Gi' } })),
      pod(sized({ requests: { cpu: '1' } })),
      ['spec.containers[0].resources.requests: Forbidden: resource requests cannot be removed'],
    ],
    [
      'is about CPU and memory',
      pod(sized({ requests: { cpu: '1', 'ephemeral-storage': '1Gi' } })),
      pod(sized({ requests: { cpu: '1', 'ephemeral-storage': '2Gi' } })),
      ['spec: Forbidden: only cpu and memory resources are mutable'],
    ],
    [
      'asks for anything where nothing was asked for',
      pod(sized({})),
      pod(sized({ requests: { 'ephemeral-storage': '2Gi' } })),
      [],
    ],
    [
      'is not for containers with devices',
      pod({ ...sized({ requests: { cpu: '1' }, claims: [{ name: 'gpu' }] }), resourceClaims: [gpu] }),
      pod({ ...sized({ requests: { cpu: '2' }, claims: [{ name: 'gpu' }] }), resourceClaims: [gpu] }),
      ['spec: Forbidden: only cpu and memory resources are mutable'],
    ],
    [
      'tells of each container',
      pod({ containers: ['a', 'b'].map((name) => ({ ...app({ requests: { cpu: '1' } }), name })) }),
      pod({
        containers: ['a', 'b'].map((name) => ({
          ...app({ requests: { cpu: '1', 'ephemeral-storage': '1Gi' } }),
          name,
        })),
      }),
      Array<string>(2).fill('spec: Forbidden: only cpu and memory resources are mutable'),
    ],
    [
      'keeps the class',
      pod(sized({ requests: { cpu: '1' } }), { status: { qosClass: 'Burstable' } }),
      pod(sized({ requests: { cpu: '1', memory: '1Gi' }, limits: { cpu: '1', memory: '1Gi' } }), {
        status: { qosClass: 'Burstable' },
      }),
      ['spec: Invalid value: "Burstable": Pod QOS Class may not change as a result of resizing'],
    ],
  ])('%s', (_what, old, next, expected) => {
    expect(shown(validateResize(next, old))).toEqual(expected)
  })
})

it.each<[string, Pod, Pod, readonly string[]]>([
  [
    'is not for static pods',
    pod({}, mirrored),
    pod({}, mirrored),
    ['[]: Forbidden: static pods do not support ephemeral containers'],
  ],
  [
    'keeps those that are there, and is checked as a whole',
    pod({ ephemeralContainers: [{ ...app(), name: 'old', resources: {} }] }),
    pod({ ephemeralContainers: [{ ...app(), name: 'app', resources: {} }] }),
    [
      'spec.ephemeralContainers[0].name: Duplicate value: "app"',
      'spec.ephemeralContainers: Forbidden: existing ephemeral containers "old" may not be removed\n',
    ],
  ],
])('adding a debugging container %s', (_what, old, next, expected) => {
  expect(shown(validateEphemeralContainers(next, old))).toEqual(expected)
})

it('finds faults of a status', () => {
  const status: NonNullable<Pod['status']> = {
    observedGeneration: -1,
    conditions: [{ type: 'a b', status: 'True' }],
    podIPs: [{ ip: '10.0.0.1' }, { ip: '10.0.0.1' }],
    resourceClaimStatuses: [{ name: 'c' }],
  }
  expect(shown(validatePodStatus(pod({}, { status }), pod({})))).toEqual([
    expect.stringMatching(/^status\.conditions\[0\]\.Type: Invalid value: "a b": name part must consist of/),
    'status.observedGeneration: Invalid value: -1: must be a non-negative integer',
    'status.resourceClaimStatuses[0].name: Invalid value: "c": must match the name of an entry in `spec.resourceClaims`',
    'status.podIPs: Invalid value: [{"IP":"10.0.0.1"},{"IP":"10.0.0.1"}]: may specify no more than one IP for each IP family',
    'status.podIPs[1]: Duplicate value: {"IP":"10.0.0.1"}',
  ])
})

it.each([
  ['podIPs', ['families', 'twice']],
  ['hostIPs', ['twice', 'families']],
] as const)('finds addresses that do not go together, in %s', (field, order) => {
  const list = ['10.0.0.1', 'x', '10.0.0.1'].map((ip) => ({ ip }))
  const values = '[{"IP":"10.0.0.1"},{"IP":"x"},{"IP":"10.0.0.1"}]'
  const path = `status.${field}`
  const faults = {
    families: [
      `${path}: Internal error: failed to check for dual stack with error:invalid IP[1]: x`,
      `${path}: Invalid value: ${values}: may specify no more than one IP for each IP family`,
    ],
    twice: [`${path}[2]: Duplicate value: {"IP":"10.0.0.1"}`],
  }
  expect(shown(validatePodStatus(pod({}, { status: { hostIP: '10.0.0.1', [field]: list } }), pod({})))).toEqual([
    `${path}[1]: Invalid value: "x": must be a valid IP address, (e.g. 10.9.8.7 or 2001:db8::ffff)`,
    ...order.flatMap((kind) => faults[kind]),
  ])
})

describe('an AppArmor annotation', () => {
  const key = 'container.apparmor.security.beta.kubernetes.io/app'
  const warning = `metadata.annotations[${key}]: deprecated since v1.30; use the "appArmorProfile" field instead`
  it.each<[string, string, Partial<PodSpec>, unknown, readonly string[]]>([
    ['becomes a field', 'runtime/default', {}, { type: 'RuntimeDefault' }, [warning]],
    [
      'says what the pod says',
      'unconfined',
      { securityContext: { appArmorProfile: { type: 'Unconfined' } } },
      undefined,
      [],
    ],
    ['is no profile', 'localhost/', {}, undefined, [warning]],
  ])('that %s', (_what, value, spec, profile, warnings) => {
    const made = podRules.prepareForCreate?.(pod(spec, { annotations: { [key]: value } })) ?? pod({})
    expect(made.spec.containers[0]?.securityContext?.appArmorProfile).toEqual(profile)
    expect(podRules.warnings?.(made)).toEqual(warnings)
  })
})

it('warns of a name that is no host name', () => {
  const dotted = { ...pod({}), metadata: { name: 'a.b' } }
  expect(podRules.warnings?.(dotted)).toEqual([
    "metadata.name: this is used in the Pod's hostname, which can result in surprising behavior; a DNS label is recommended: [must not contain dots]",
  ])
  expect(podRules.warnings?.(dotted, dotted)).toEqual([])
})
