// Decoding with the schemas of real kinds: texts and forms as a 1.34 API server gave them.
import { describe, expect, it } from 'vitest'
import { applySchemaDefaults, decode, decodeMerged, type Json, parseJson, parseYaml } from '#objects'
import { schemaOfCustomResource } from './custom.ts'
import { builtInSchema } from './resolve.ts'

function schemaOf(apiVersion: string, kind: string) {
  const [version = '', group = ''] = apiVersion.split('/').reverse()
  const schema = builtInSchema(group, version, kind)
  if (schema === undefined) throw new Error(`no ${kind}`)
  return schema
}

const read = (object: { apiVersion: string; kind: string; [field: string]: unknown }) =>
  decode(object, schemaOf(object.apiVersion, object.kind))

const deployment = (spec: Json) => read({ apiVersion: 'apps/v1', kind: 'Deployment', metadata: {}, spec })
const pod = (spec: Json) => read({ apiVersion: 'v1', kind: 'Pod', metadata: {}, spec })

describe('types', () => {
  it.each<[string, () => unknown, string]>([
    [
      'a string for a number',
      () => deployment({ replicas: '3' }),
      'json: cannot unmarshal string into Go struct field DeploymentSpec.spec.replicas of type int32',
    ],
    [
      'a fraction for a whole number',
      () => deployment({ replicas: 1.5 }),
      'json: cannot unmarshal number 1.5 into Go struct field DeploymentSpec.spec.replicas of type int32',
    ],
    [
      'too large a number',
      () => deployment({ replicas: 3000000000 }),
      'json: cannot unmarshal number 3000000000 into Go struct field DeploymentSpec.spec.replicas of type int32',
    ],
    [
      'an object for a list',
      () => deployment({ template: { spec: { containers: { name: 'x' } } } }),
      'json: cannot unmarshal object into Go struct field PodSpec.spec.template.spec.containers of type []v1.Container',
    ],
    [
      'a bad quantity',
      () => pod({ containers: [{ resources: { requests: { cpu: '1x' } } }] }),
      'quantities must match the regular',
    ],
    [
      'a number in a map of strings',
      () => read({ apiVersion: 'v1', kind: 'ConfigMap', data: { a: 1 } }),
      'json: cannot unmarshal number into Go struct field ConfigMap.data of type string',
    ],
    [
      'a string for a struct',
      () => read({ apiVersion: 'v1', kind: 'Pod', spec: 'x' }),
      'json: cannot unmarshal string into Go struct field Pod.spec of type v1.PodSpec',
    ],
    [
      'a string for a boolean',
      () => read({ apiVersion: 'v1', kind: 'ConfigMap', immutable: 'yes' }),
      'json: cannot unmarshal string into Go struct field ConfigMap.immutable of type bool',
    ],
    [
      'a string for a port',
      () => read({ apiVersion: 'v1', kind: 'Service', spec: { ports: [{ port: '80' }] } }),
      'json: cannot unmarshal string into Go struct field ServicePort.spec.ports.port of type int32',
    ],
    [
      'a string for metadata',
      () => read({ apiVersion: 'v1', kind: 'ConfigMap', metadata: 'x' }),
      'json: cannot unmarshal string into Go struct field ConfigMap.metadata of type v1.ObjectMeta',
    ],
    [
      'a bad time',
      () => read({ apiVersion: 'coordination.k8s.io/v1', kind: 'Lease', spec: { renewTime: 'yesterday' } }),
      'parsing time "yesterday" as "2006-01-02T15:04:05.000000Z07:00": cannot parse "yesterday" as "2006"',
    ],
    [
      'bad base64',
      () => read({ apiVersion: 'v1', kind: 'Secret', data: { a: 'not base64!' } }),
      'illegal base64 data at input byte 3',
    ],
    [
      'bad base64',
      () => read({ apiVersion: 'v1', kind: 'ConfigMap', binaryData: { a: '!!' } }),
      'illegal base64 data at input byte 0',
    ],
    [
      'a boolean for an int-or-string',
      () => read({ apiVersion: 'v1', kind: 'Service', spec: { ports: [{ port: 80, targetPort: true }] } }),
      'json: cannot unmarshal bool into Go struct field ServicePort.spec.ports.targetPort of type int32',
    ],
    [
      'a number for a named string',
      () => pod({ containers: [{ name: 'a', imagePullPolicy: 5 }] }),
      'json: cannot unmarshal number into Go struct field Container.spec.containers.imagePullPolicy of type v1.PullPolicy',
    ],
  ])('refuses %s', (_, decodeIt, message) => {
    expect(decodeIt).toThrow(message)
  })

  it('reports the first wrong type, unless a value that no type takes comes later', () => {
    expect(() => deployment({ replicas: 'x', minReadySeconds: 'y' })).toThrow('DeploymentSpec.spec.replicas')
    expect(() => pod({ hostname: 1, containers: [{ resources: { limits: { cpu: 'x' } } }] })).toThrow(
      'quantities must match',
    )
  })

  it('does not take 1.0 for a whole number', () => {
    const text = parseJson('{"spec":{"replicas":1.0}}')
    expect(() => decode(text.value, schemaOf('apps/v1', 'Deployment'), { parsed: text })).toThrow(
      'cannot unmarshal number 1.0 into',
    )
  })
})

describe('what a strategic merge made', () => {
  const merged = (spec: Json) =>
    decodeMerged({ apiVersion: 'apps/v1', kind: 'Deployment', spec }, schemaOf('apps/v1', 'Deployment'))

  it.each<[Json, string]>([
    [{ replicas: 'x' }, 'unrecognized type: int32'],
    [{ replicas: 1.5 }, 'cannot convert float64 to int32'],
    [{ paused: 'x' }, 'unrecognized type: bool'],
    [{ template: 'x' }, 'cannot restore struct from: string'],
    [{ template: { spec: { containers: { a: 1 } } } }, 'cannot restore slice from map'],
    [{ template: { metadata: { labels: [1] } } }, 'cannot restore map from slice'],
    [{ template: { metadata: { labels: { a: 1 } } } }, 'cannot convert int64 to string'],
    [{ template: { spec: { containers: [{ imagePullPolicy: 1 }] } } }, 'cannot convert int64 to v1.PullPolicy'],
    [{ strategy: { rollingUpdate: { maxSurge: true } } }, 'json: cannot unmarshal bool into Go value of type int32'],
  ])('is refused in other words: %j', (spec, message) => {
    expect(() => merged(spec)).toThrow(message)
  })

  it.each([
    [2 ** 31, -(2 ** 31)],
    [2 ** 32 + 1, 1],
    [-(2 ** 31), -(2 ** 31)],
    [-(2 ** 31) - 1, 2 ** 31 - 1],
  ])('has the lower bits of a number that is too large: %d', (replicas, kept) => {
    expect(merged({ replicas }).value).toMatchObject({ spec: { replicas: kept } })
  })

  it('has its unknown fields in order of their names', () => {
    expect(merged({ zz: 1, aa: 1 }).strictErrors).toEqual(['unknown field "spec.aa"', 'unknown field "spec.zz"'])
  })
})

describe('unknown and repeated fields', () => {
  it('are dropped and listed with their paths', () => {
    const { value, strictErrors } = pod({
      containers: [{ name: 'a', image: 'x', imagee: 'y', ports: [{ containerPort: 1, protocoll: 'TCP' }] }],
      nodeNam: 'x',
    })
    expect(strictErrors).toEqual([
      'unknown field "spec.containers[0].imagee"',
      'unknown field "spec.containers[0].ports[0].protocoll"',
      'unknown field "spec.nodeNam"',
    ])
    expect(value).toMatchObject({ spec: { containers: [{ name: 'a', image: 'x', ports: [{ containerPort: 1 }] }] } })
  })

  it('are found in JSON and in YAML', () => {
    const schema = schemaOf('v1', 'ConfigMap')
    const json = parseJson('{"apiVersion":"v1","kind":"ConfigMap","data":{"a":"1","a":"2"}}')
    expect(decode(json.value, schema, { parsed: json }).strictErrors).toEqual(['duplicate field "data.a"'])
    const yaml = parseYaml('kind: ConfigMap\ndata:\n  a: "1"\n  a: "2"\n')
    expect(decode(yaml.value, schema, { parsed: yaml }).strictErrors).toEqual([
      'yaml: unmarshal errors:\n  line 4: key "a" already set in map',
    ])
  })
})

describe('the stored form', () => {
  it('is what a Go server writes back', () => {
    const { value } = pod({
      containers: [
        { name: 'a', image: '', args: [], env: null, resources: { requests: { cpu: '1000m', memory: '1024Mi' } } },
      ],
      nodeSelector: {},
      hostNetwork: false,
      automountServiceAccountToken: false,
      terminationGracePeriodSeconds: 0,
      priority: 0,
      volumes: [{ name: 'v', emptyDir: {} }],
    })
    expect(value).toEqual({
      apiVersion: 'v1',
      kind: 'Pod',
      metadata: {},
      status: {},
      spec: {
        containers: [{ name: 'a', resources: { requests: { cpu: '1', memory: '1Gi' } } }],
        automountServiceAccountToken: false,
        terminationGracePeriodSeconds: 0,
        priority: 0,
        volumes: [{ name: 'v', emptyDir: {} }],
      },
    })
  })

  it('shows what is never left out', () => {
    expect(read({ apiVersion: 'rbac.authorization.k8s.io/v1', kind: 'ClusterRole', metadata: {} }).value).toMatchObject(
      { rules: null },
    )
    expect(read({ apiVersion: 'v1', kind: 'Event', metadata: {} }).value).toMatchObject({
      eventTime: null,
      lastTimestamp: null,
    })
    expect(read({ apiVersion: 'v1', kind: 'ConfigMap', data: { a: null } }).value).toMatchObject({
      data: { a: '' },
      metadata: {},
    })
  })

  it('is handed back as the same reference when there is nothing to change', () => {
    const spec = { containers: [{ name: 'a', resources: {} }] }
    const given = { apiVersion: 'v1', kind: 'Pod', metadata: { name: 'p' }, spec, status: {} }
    expect(read(given).value).toBe(given)
    const untidy = { ...spec, nodeSelector: {} }
    const first = read({ ...given, spec: untidy }).value as { spec: object }
    const second = read({ ...given, spec: untidy }).value as { spec: object }
    expect(first.spec).toBe(second.spec)
  })
})

describe('defaults of the schema', () => {
  it('are filled in where the object around them is there', () => {
    const service = schemaOf('v1', 'Service')
    const given = {
      apiVersion: 'v1',
      kind: 'Service',
      metadata: {},
      spec: { ports: [{ port: 80 }, { port: 81, protocol: 'UDP' }] },
    }
    const filled = applySchemaDefaults(given, service)
    expect(filled.spec.ports).toEqual([
      { port: 80, protocol: 'TCP' },
      { port: 81, protocol: 'UDP' },
    ])
    expect(filled.spec.ports[1]).toBe(given.spec.ports[1])
    expect(applySchemaDefaults(filled, service)).toBe(filled)
  })

  it('are not the zero values of Go', () => {
    const given = { apiVersion: 'v1', kind: 'Pod', metadata: {}, spec: { containers: [{}] } }
    expect(applySchemaDefaults(given, schemaOf('v1', 'Pod'))).toBe(given)
    const probe = { spec: { containers: [{ livenessProbe: { grpc: { port: 1 } } }] } }
    expect(applySchemaDefaults(probe, schemaOf('v1', 'Pod'))).toMatchObject({
      spec: { containers: [{ livenessProbe: { grpc: { service: '' } } }] },
    })
  })

  it('of custom resources reach into lists and maps', () => {
    const schema = schemaOfCustomResource({
      type: 'object',
      properties: {
        spec: {
          type: 'object',
          default: {},
          properties: {
            size: { type: 'integer', default: 3 },
            list: { type: 'array', items: { type: 'object', properties: { on: { type: 'boolean', default: true } } } },
            map: {
              type: 'object',
              additionalProperties: { type: 'object', properties: { n: { type: 'integer', default: 0 } } },
            },
          },
        },
      },
    })
    expect(applySchemaDefaults({}, schema)).toEqual({ spec: { size: 3 } })
    expect(applySchemaDefaults({ spec: { list: [{}], map: { a: {} } } }, schema)).toEqual({
      spec: { size: 3, list: [{ on: true }], map: { a: { n: 0 } } },
    })
  })
})

describe('custom resources', () => {
  const schema = schemaOfCustomResource({
    type: 'object',
    properties: {
      spec: {
        type: 'object',
        properties: {
          color: { type: 'string' },
          opt: { type: 'string', nullable: true },
          replicas: { type: 'integer', default: 1 },
          other: { type: 'integer' },
          tags: { type: 'array', items: { type: 'object', properties: { k: { type: 'string' } } } },
          free: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true },
        },
      },
    },
  })

  it('lose unknown fields and nulls that mean nothing', () => {
    const { value, strictErrors } = decode(
      {
        apiVersion: 'example.com/v1',
        kind: 'Widget',
        metadata: { name: 'w', labels: {}, foo: 1 },
        spec: {
          zz: 1,
          color: 'red',
          tags: [{ k: 'a', z: 1 }],
          opt: null,
          replicas: null,
          other: null,
          free: { x: [1] },
        },
        extra: true,
      },
      schema,
    )
    expect(value).toEqual({
      apiVersion: 'example.com/v1',
      kind: 'Widget',
      metadata: { name: 'w' },
      spec: { color: 'red', tags: [{ k: 'a' }], opt: null, replicas: null, free: { x: [1] } },
    })
    expect(strictErrors).toEqual([
      'unknown field "metadata.foo"',
      'unknown field "extra"',
      'unknown field "spec.tags[0].z"',
      'unknown field "spec.zz"',
    ])
    expect(applySchemaDefaults(value, schema)).toMatchObject({ spec: { replicas: 1, opt: null } })
  })
})

describe('an object that has been decoded before', () => {
  const schema = schemaOf('v1', 'Pod')
  const first = decode(
    { apiVersion: 'v1', kind: 'Pod', metadata: { name: 'a' }, spec: { containers: [{ name: 'a' }, { name: 'b' }] } },
    schema,
  ).value as { readonly spec: { readonly containers: readonly Json[] }; readonly [field: string]: Json }

  it('lends its parts to the next version of it', () => {
    const next = { ...first, status: { phase: 'Running', podIP: '' } }
    const decoded = decode(next, schema, { base: first }).value as typeof first
    expect(decoded['status']).toMatchObject({ phase: 'Running' })
    expect(decoded['status']).not.toHaveProperty('podIP')
    expect(decoded.spec).toBe(first.spec)
  })

  it('does not excuse what is new', () => {
    const [a = null, b = null] = first.spec.containers
    const next = { ...first, spec: { ...first.spec, containers: [b, { name: 1 }, a] } }
    expect(() => decode(next, schema, { base: first })).toThrow('cannot unmarshal number into')
  })
})
