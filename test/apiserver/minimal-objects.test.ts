import { describe, expect, it } from 'vitest'
import type { ApiRequest } from '#api'
import { startServer, tester } from './server.ts'

// Fields that Go never leaves out are null in a decoded object: rules must take them for absent.

const signal = new AbortController().signal
const { handle } = startServer()

async function create(path: string, object: object): Promise<Readonly<Record<string, unknown>>> {
  const parts = path.split('/')
  const [group = '', version = '', resource = ''] = parts
  const request: ApiRequest = {
    verb: 'create',
    resource: { group, version, resource },
    ...(parts[3] === undefined ? {} : { namespace: parts[3] }),
    body: { type: 'object', object: { metadata: { name: 'x' }, ...object } as never },
    caller: tester,
  }
  const { body } = await handle(request, signal)
  return (body.type === 'object' ? body.object : {}) as never
}

const rule = { subjects: [{ kind: 'User', user: { name: 'u' } }] }
const resources = { verbs: ['*'], apiGroups: ['*'], resources: ['*'], clusterScope: true }

describe('objects without what may be absent', () => {
  it.each<[string, string, object, object]>([
    [
      'an IngressClass has cluster-wide parameters',
      'networking.k8s.io/v1/ingressclasses',
      { spec: { controller: 'a.b/c', parameters: { kind: 'K', name: 'n' } } },
      { spec: { controller: 'a.b/c', parameters: { kind: 'K', name: 'n', scope: 'Cluster' } } },
    ],
    [
      'a CSINode has no topology',
      'storage.k8s.io/v1/csinodes',
      { spec: { drivers: [{ name: 'a.b', nodeID: 'n' }] } },
      { spec: { drivers: [{ name: 'a.b', nodeID: 'n', topologyKeys: null }] } },
    ],
    [
      'a FlowSchema has cluster-wide rules',
      'flowcontrol.apiserver.k8s.io/v1/flowschemas',
      { spec: { priorityLevelConfiguration: { name: 'p' }, rules: [{ ...rule, resourceRules: [resources] }] } },
      { spec: { matchingPrecedence: 1000, rules: [{ resourceRules: [{ clusterScope: true, namespaces: null }] }] } },
    ],
    [
      'an Ingress refers to a core resource',
      'networking.k8s.io/v1/ingresses/default',
      { spec: { defaultBackend: { resource: { kind: 'K', name: 'n' } } } },
      { spec: { defaultBackend: { resource: { kind: 'K', name: 'n', apiGroup: null } } } },
    ],
    [
      'a projected volume has no sources',
      '/v1/podtemplates/default',
      { template: { spec: { containers: [{ name: 'c', image: 'i' }], volumes: [{ name: 'v', projected: {} }] } } },
      { template: { spec: { volumes: [{ projected: { sources: null } }] } } },
    ],
    [
      'a ServiceAccount keeps the names of its secrets',
      '/v1/serviceaccounts/default',
      { secrets: [{ name: 'a', namespace: 'b', kind: 'Secret' }] },
      { secrets: [{ name: 'a' }] },
    ],
    ['a LimitRange limits nothing', '/v1/limitranges/default', { spec: {} }, { spec: { limits: null } }],
    [
      'a CSIDriver begins without a generation',
      'storage.k8s.io/v1/csidrivers',
      { spec: {} },
      { spec: { attachRequired: true } },
    ],
    [
      'a ResourceClaim asks for one device',
      'resource.k8s.io/v1/resourceclaims/default',
      { spec: { devices: { requests: [{ name: 'a', exactly: { deviceClassName: 'c' } }] } } },
      { spec: { devices: { requests: [{ exactly: { allocationMode: 'ExactCount', count: 1 } }] } } },
    ],
  ])('%s', async (_, path, object, expected) => {
    expect(await create(path, object)).toMatchObject(expected)
  })

  it.each<[string, string, object, string]>([
    [
      'exit codes',
      'batch/v1/jobs/default',
      {
        spec: {
          podFailurePolicy: { rules: [{ action: 'Ignore', onExitCodes: { operator: 'In', values: [] } }] },
          template: { spec: { restartPolicy: 'Never', containers: [{ name: 'c', image: 'i' }] } },
        },
      },
      'spec.podFailurePolicy.rules[0].onExitCodes.values',
    ],
    [
      'monitors',
      '/v1/persistentvolumes',
      { spec: { capacity: { storage: '1Gi' }, accessModes: ['ReadWriteOnce'], cephfs: {} } },
      'spec.cephfs.monitors',
    ],
    ['data that is no object', 'apps/v1/controllerrevisions/default', { revision: 1, data: 'text' }, 'data'],
    ['more than a megabyte', '/v1/configmaps/default', { data: { a: 'x'.repeat(1_048_577) } }, '[]'],
  ])('are refused for %s', async (_, path, object, field) => {
    expect(await create(path, object)).toMatchObject({ code: 422, details: { causes: [{ field }] } })
  })

  it('are refused for want of a name when they are null', async () => {
    const request = { verb: 'create', resource: { group: '', version: 'v1', resource: 'configmaps' } } as const
    const nothing = { type: 'text', text: 'null', contentType: 'application/json' } as const
    const { body } = await handle({ ...request, namespace: 'default', body: nothing, caller: tester }, signal)
    expect(body).toMatchObject({ object: { message: expect.stringContaining('name or generateName is required') } })
  })

  it.each(['apiextensions.k8s.io/v1/customresourcedefinitions', 'apiregistration.k8s.io/v1/apiservices'])(
    'have no name rather than null: %s',
    async (path) => {
      expect(await create(path, { metadata: {} })).toMatchObject({
        message: expect.stringContaining('metadata.name: Invalid value: "": must be'),
      })
    },
  )

  it('say of a secret that is no JSON where it ends to be some', async () => {
    const type = 'kubernetes.io/dockercfg'
    const fault = async (text: string) =>
      JSON.stringify(await create('/v1/secrets/default', { type, data: { '.dockercfg': btoa(text) } }))
    expect(await fault('\0')).toContain("invalid character '\\\\x00' looking for beginning of value")
    expect(await fault('{"a" 1}')).toContain("invalid character '1' after object key")
    expect(await fault('[]')).toContain('cannot unmarshal array into Go value of type map[string]interface {}')
  })
})
