// resource.k8s.io as a driver and its users meet it: what is dropped, defaulted, refused and shown.

import { describe, expect, it } from 'vitest'
import type { ApiError } from '#api'
import {
  DeviceClass,
  Namespace,
  ResourceV1ResourceClaim as ResourceClaim,
  ResourceClaimTemplate,
  ResourceSlice,
} from '#kinds'
import type { KubeObject } from '#objects'
import { startServer } from './server.ts'

const made = <T extends KubeObject>(kind: string, rest: object): T =>
  ({ apiVersion: 'resource.k8s.io/v1', kind, ...rest }) as unknown as T
const slice = (spec: object = {}): ResourceSlice =>
  made('ResourceSlice', {
    metadata: { name: 's' },
    spec: { driver: 'gpu.example.com', pool: { name: 'n', resourceSliceCount: 1 }, nodeName: 'n', ...spec },
  })
const claim = (exactly: object = {}, more: object = {}): ResourceClaim =>
  made('ResourceClaim', {
    metadata: { name: 'c', namespace: 'default' },
    spec: { devices: { requests: [{ name: 'r', exactly: { deviceClassName: 'gpu', ...exactly } }], ...more } },
  })

async function faultsOf(write: Promise<unknown>): Promise<readonly string[]> {
  const error = await write.then(
    () => undefined,
    (refused: ApiError) => refused,
  )
  return (error?.details?.causes ?? []).map(({ field, message }) => `${field}: ${message}`)
}

const merge = { type: 'application/merge-patch+json' } as const

describe('slices', () => {
  it.each<[string, object, readonly string[]]>([
    [
      'no driver and no pool',
      { driver: '', pool: {} },
      [
        'spec.driver: Required value',
        expect.stringContaining('spec.driver: Invalid value: "": a lowercase RFC 1123 subdomain must consist of'),
        'spec.pool.name: Required value',
        'spec.pool.resourceSliceCount: Invalid value: 0: must be greater than zero',
      ],
    ],
    [
      'no place',
      { nodeName: undefined },
      [
        'spec: Required value: exactly one of `nodeName`, `nodeSelector`, `allNodes`, `perDeviceNodeSelection` is required',
      ],
    ],
    [
      'two places',
      { allNodes: true },
      [
        'spec: Invalid value: "{`nodeName`, `allNodes`}": exactly one of `nodeName`, `nodeSelector`, `allNodes`, `perDeviceNodeSelection` is required, but multiple fields are set',
      ],
    ],
    [
      'all nodes but not',
      { nodeName: undefined, allNodes: false },
      [
        'spec.allNodes: Invalid value: false: must be either unset or set to true',
        expect.stringContaining('exactly one'),
      ],
    ],
    [
      'a choice of places',
      {
        nodeName: undefined,
        nodeSelector: {
          nodeSelectorTerms: ['a', 'b'].map((key) => ({ matchExpressions: [{ key, operator: 'Exists' }] })),
        },
      },
      [
        'spec.nodeSelector.nodeSelectorTerms: Invalid value: [{"MatchExpressions":[{"Key":"a","Operator":"Exists","Values":null}],"MatchFields":null},{"MatchExpressions":[{"Key":"b","Operator":"Exists","Values":null}],"MatchFields":null}]: must have exactly one node selector term',
      ],
    ],
    [
      'two devices of one name',
      { devices: [{ name: 'a' }, { name: 'a' }] },
      ['spec.devices[1].name: Duplicate value: "a"'],
    ],
    [
      'too many devices',
      { devices: Array.from({ length: 129 }, (_, i) => ({ name: `d${i}` })) },
      ['spec.devices: Too many: 129: must have at most 128 items'],
    ],
    [
      'attributes of no kind, of two kinds, of bad versions',
      {
        devices: [
          {
            name: 'a',
            attributes: {
              none: {},
              both: { int: 1, bool: true },
              'gpu.example.com/driver': { version: '1.2' },
              long: { string: 'x'.repeat(65) },
            },
          },
        ],
      },
      [
        'spec.devices[0].attributes[both]: Invalid value: {"IntValue":1,"BoolValue":true,"StringValue":null,"VersionValue":null}: exactly one value must be specified',
        'spec.devices[0].attributes[gpu.example.com/driver].version: Invalid value: "1.2": must be a string compatible with semver.org spec 2.0.0',
        'spec.devices[0].attributes[long].string: Too long: may not be more than 64 bytes',
        'spec.devices[0].attributes[none]: Required value: exactly one value must be specified',
      ],
    ],
    [
      'too many properties',
      {
        devices: [
          {
            name: 'a',
            capacity: Object.fromEntries(Array.from({ length: 33 }, (_, i) => [`c${i}`, { value: '1' }])),
          },
        ],
      },
      ['spec.devices[0]: Invalid value: 33: the total number of attributes and capacities must not exceed 32'],
    ],
  ])('may not have %s', async (_, spec, expected) => {
    const { client } = startServer()
    const faults = await faultsOf(client.create(ResourceSlice, slice(spec)))
    expect(faults).toHaveLength(expected.length)
    expect(faults).toEqual(expect.arrayContaining([...expected]))
  })

  it.each(['1.2.3', '1.0.0-alpha.1', '1.0.0-0a.b-c+build.01', '0.0.0+001'])('know version %s', async (version) => {
    const { client } = startServer()
    const devices = [{ name: 'a', attributes: { v: { version } } }]
    await client.create(ResourceSlice, slice({ devices }))
  })

  it.each(['01.2.3', '1.2.3-01', '1.2.3-', '1.2.3+', '1.2.3-a..b', 'v1.2.3'])('refuse version %s', async (version) => {
    const { client } = startServer()
    const devices = [{ name: 'a', attributes: { v: { version } } }]
    expect(await faultsOf(client.create(ResourceSlice, slice({ devices })))).toHaveLength(1)
  })

  it('keep what identifies them, and count the generations of the rest', async () => {
    const { client } = startServer()
    await client.create(ResourceSlice, slice())
    const changed = await client.patch(ResourceSlice, { name: 's' }, { spec: { devices: [{ name: 'a' }] } }, merge)
    expect(changed.metadata.generation).toBe(2)
    const spec = { driver: 'other.example.com', nodeName: 'm', pool: { name: 'p' } }
    expect(await faultsOf(client.patch(ResourceSlice, { name: 's' }, { spec }, merge))).toEqual([
      'spec.pool.name: Invalid value: "p": field is immutable',
      'spec.driver: Invalid value: "other.example.com": field is immutable',
      'spec.nodeName: Invalid value: "m": field is immutable',
    ])
  })

  it('lose what belongs to features that are off', async () => {
    const { client } = startServer()
    const device = {
      name: 'a',
      taints: [{ key: 'k', effect: 'NoExecute' }],
      allowMultipleAllocations: true,
      capacity: { memory: { value: '1Gi', requestPolicy: { default: '1Gi' } } },
      bindsToNode: true,
    }
    const stored = await client.create(ResourceSlice, slice({ devices: [device], sharedCounters: [{ name: 'x' }] }))
    expect(stored.spec.devices).toEqual([{ name: 'a', capacity: { memory: { value: '1Gi' } } }])
    expect(stored.spec).not.toHaveProperty('sharedCounters')
  })
})

describe('claims', () => {
  it('ask for one device of the class, without what is off', async () => {
    const { client } = startServer()
    const stored = await client.create(
      ResourceClaim,
      claim({ tolerations: [{ key: 'k' }], capacity: { requests: {} } }),
    )
    expect(stored.spec.devices?.requests?.[0]?.exactly).toEqual({
      deviceClassName: 'gpu',
      allocationMode: 'ExactCount',
      count: 1,
      // Off, too, but nothing takes it away.
      tolerations: [{ key: 'k', operator: 'Equal' }],
    })
  })

  it('cannot be changed', async () => {
    const { client } = startServer()
    await client.create(ResourceClaim, claim())
    const ref = { namespace: 'default', name: 'c' }
    const faults = await faultsOf(client.patch(ResourceClaim, ref, { spec: { devices: { requests: [] } } }, merge))
    expect(faults).toEqual([
      'spec: Invalid value: {"Devices":{"Requests":null,"Constraints":null,"Config":null}}: field is immutable',
    ])
  })

  it('for administration are for namespaces that are labelled for it', async () => {
    const { client } = startServer()
    const text =
      'spec.devices.requests[0].adminAccess: Forbidden: admin access to devices requires the `resource.kubernetes.io/admin-access: true` label on the containing namespace'
    const asking = claim({ adminAccess: true })
    const template = made<ResourceClaimTemplate>('ResourceClaimTemplate', {
      metadata: { name: 't', namespace: 'default' },
      spec: { spec: asking.spec },
    })
    expect(await faultsOf(client.create(ResourceClaim, asking))).toEqual([text])
    expect(await faultsOf(client.create(ResourceClaimTemplate, template))).toEqual([text])
    const labels = { 'resource.kubernetes.io/admin-access': 'true' }
    await client.patch(Namespace, { name: 'default' }, { metadata: { labels } }, merge)
    await client.create(ResourceClaim, asking)
    await client.create(ResourceClaimTemplate, template)
  })

  it('keep their metadata while their status is written', async () => {
    const { client } = startServer()
    await client.create(ResourceClaim, claim())
    const change = { metadata: { labels: { a: 'b' }, finalizers: ['a.b/c'] } }
    const written = await client.patch(ResourceClaim, { namespace: 'default', name: 'c' }, change, {
      ...merge,
      subresource: 'status',
    })
    expect(written.metadata).not.toHaveProperty('labels')
    expect(written.metadata).not.toHaveProperty('finalizers')
  })

  it('are granted administration in such a namespace alone, and keep it', async () => {
    const { client } = startServer()
    await client.create(ResourceClaim, claim())
    const ref = { namespace: 'default', name: 'c' }
    const result = { request: 'r', driver: 'gpu.example.com', pool: 'n', device: 'a', adminAccess: true }
    const grant = () =>
      client.patch(
        ResourceClaim,
        ref,
        { status: { allocation: { devices: { results: [result] } } } },
        {
          ...merge,
          subresource: 'status',
        },
      )
    expect(await faultsOf(grant())).toEqual([
      'status.allocation.devices.results[0].adminAccess: Forbidden: admin access to devices requires the `resource.kubernetes.io/admin-access: true` label on the containing namespace',
    ])
    const labelled = (value: string | null) => ({
      metadata: { labels: { 'resource.kubernetes.io/admin-access': value } },
    })
    await client.patch(Namespace, { name: 'default' }, labelled('true'), merge)
    await grant()
    await client.patch(Namespace, { name: 'default' }, labelled(null), merge)
    await grant()
  })
})

describe('the status of a claim', () => {
  const ref = { namespace: 'default', name: 'c' }
  const result = { request: 'r', driver: 'gpu.example.com', pool: 'n', device: 'a' }
  const device = { driver: 'gpu.example.com', pool: 'n', device: 'a', conditions: null }
  const status = { ...merge, subresource: 'status' }

  async function start() {
    const { client } = startServer()
    await client.create(ResourceClaim, claim())
    return { write: (change: object) => client.patch(ResourceClaim, ref, { status: change }, status) }
  }

  it('loses the status of devices with their allocation, and what is off', async () => {
    const { write } = await start()
    const allocated = await write({
      allocation: { devices: { results: [{ ...result, shareID: '1' }] }, allocationTimestamp: '2024-01-01T00:00:00Z' },
      devices: [device],
    })
    expect(allocated.status).toEqual({ allocation: { devices: { results: [result] } }, devices: [device] })
    expect((await write({ allocation: null })).status).toEqual({})
  })

  it('is of what the claim asks for', async () => {
    const { write } = await start()
    expect(
      await faultsOf(
        write({
          reservedFor: [{ resource: 'pods', name: 'p', uid: '' }],
          devices: [{ ...device, networkData: { ips: ['10.0.0.1', '10.0.0.1/024', '2001:DB8::1/64'] } }],
        }),
      ),
    ).toEqual([
      'status.reservedFor[0].uid: Required value',
      'status.devices[0]: Invalid value: {"Driver":{},"Pool":{},"Device":{},"ShareID":{}}: must be an allocated device in the claim',
      'status.devices[0].networkData.ips[0]: Invalid value: "10.0.0.1": must be a valid address in CIDR form, (e.g. 10.9.8.7/24 or 2001:db8::1/64)',
      'status.devices[0].networkData.ips[1]: Invalid value: "10.0.0.1/024": must be in canonical form ("10.0.0.1/24")',
      'status.devices[0].networkData.ips[2]: Invalid value: "2001:DB8::1/64": must be in canonical form ("2001:db8::1/64")',
      'status.reservedFor: Forbidden: may not be specified when `allocated` is not set',
    ])
    const devices = { results: [{ ...result, request: 'q', pool: '' }], config: [{ source: 'Else', opaque: {} }] }
    expect(await faultsOf(write({ allocation: { devices } }))).toEqual([
      expect.stringContaining('status.allocation.devices.results[0].request: Invalid value: "q": must be the name of'),
      'status.allocation.devices.results[0].pool: Required value',
      'status.allocation.devices.config[0].source: Unsupported value: "Else": supported values: "FromClaim", "FromClass"',
      'status.allocation.devices.config[0].opaque.driver: Required value',
      expect.stringContaining('status.allocation.devices.config[0].opaque.driver: Invalid value: ""'),
      'status.allocation.devices.config[0].opaque.parameters: Required value',
    ])
  })

  it('keeps an allocation as it is', async () => {
    const { write } = await start()
    await write({ allocation: { devices: { results: [result] } } })
    expect(await faultsOf(write({ allocation: { devices: { results: [{ ...result, device: 'b' }] } } }))).toEqual([
      'status.allocation: Invalid value: {"Devices":{"Results":[{"Request":"r","Driver":"gpu.example.com","Pool":"n","Device":"b","AdminAccess":null,"Tolerations":null,"BindingConditions":null,"BindingFailureConditions":null,"ShareID":null,"ConsumedCapacity":null}],"Config":null},"NodeSelector":null,"AllocationTimestamp":null}: field is immutable',
    ])
  })
})

it('classes tell their faults twice when they are changed, and lose their extended resource', async () => {
  const { client } = startServer()
  const spec = { extendedResourceName: 'example.com/gpu' }
  const stored = await client.create(DeviceClass, made<DeviceClass>('DeviceClass', { metadata: { name: 'gpu' }, spec }))
  expect(stored.spec).toEqual({})
  const fault = 'spec.config[0].opaque: Required value'
  expect(await faultsOf(client.patch(DeviceClass, { name: 'gpu' }, { spec: { config: [{}] } }, merge))).toEqual([
    fault,
    fault,
  ])
})
