// Ownership of fields through the API server: recorded by every write, made when asked for, kept by apply.

import { describe, expect, it } from 'vitest'
import type { ApiError } from '#api'
import {
  AutoscalingV1HorizontalPodAutoscaler,
  CertificateSigningRequest,
  ConfigMap,
  Deployment,
  FlowSchema,
  HorizontalPodAutoscaler,
  type Kind,
  LimitRange,
  ServiceCIDR,
  VolumeAttachment,
} from '#kinds'
import type { AnyObject, ManagedFieldsEntry } from '#objects'
import { startServer } from '../apiserver/server.ts'
import { requestPem } from '../support/certificates.ts'

const ref = { namespace: 'default', name: 'a' }
const configMap = (data: Record<string, string>): ConfigMap => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: ref,
  data,
})
const deployment: Deployment = {
  apiVersion: 'apps/v1',
  kind: 'Deployment',
  metadata: ref,
  spec: {
    replicas: 1,
    selector: { matchLabels: { app: 'a' } },
    template: { metadata: { labels: { app: 'a' } }, spec: { containers: [{ name: 'c', image: 'i' }] } },
  },
}

const owners = (entries: readonly ManagedFieldsEntry[] | undefined): readonly unknown[] =>
  (entries ?? []).map(({ manager, operation, subresource, fieldsV1 }) => [
    manager,
    operation,
    ...(subresource === undefined ? [] : [subresource]),
    fieldsV1,
  ])

describe('managed fields', () => {
  it('are never of what a write cannot change', async () => {
    const { client } = startServer()
    const named = (kind: string, apiVersion: string, more: object): AnyObject =>
      ({ apiVersion, kind, metadata: { name: 'a', labels: { l: '1' } }, ...more }) as unknown as AnyObject
    const merge = { type: 'application/merge-patch+json', fieldManager: 'two', managedFields: true } as const
    const label = { 'f:metadata': { 'f:labels': { '.': {}, 'f:l': {} } } }
    const request = named('CertificateSigningRequest', 'certificates.k8s.io/v1', {
      spec: { request: btoa(requestPem), signerName: 'example.com/s', usages: ['any'] },
    }) as unknown as CertificateSigningRequest
    // Its spec is written once: whoever sends it owns nothing of it.
    const asked = await client.create(CertificateSigningRequest, request, { fieldManager: 'one', managedFields: true })
    expect(owners(asked.metadata.managedFields)).toEqual([['one', 'Update', label]])
    const condition = { type: 'Ready', status: 'True' }
    const conditions = { status: { conditions: [condition] } }
    const ofStatus = { ...merge, subresource: 'status' }
    const change = { ...conditions, metadata: { labels: { l: '2' } } }
    const signed = await client.patch(CertificateSigningRequest, { name: 'a' }, change, ofStatus)
    expect(owners(signed.metadata.managedFields).at(-1)).toEqual([
      'two',
      'Update',
      'status',
      { 'f:metadata': { 'f:labels': { 'f:l': {} } } },
    ])
    // Nor does a write of the status of these own metadata.
    const schema = named('FlowSchema', 'flowcontrol.apiserver.k8s.io/v1', {
      spec: { priorityLevelConfiguration: { name: 'p' } },
    }) as unknown as FlowSchema
    await client.create(FlowSchema, schema, { fieldManager: 'one' })
    const told = await client.patch(FlowSchema, { name: 'a' }, change, ofStatus)
    expect(owners(told.metadata.managedFields).at(-1)).toEqual([
      'two',
      'Update',
      'status',
      {
        'f:status': {
          'f:conditions': {
            '.': {},
            'k:{"type":"Ready"}': { '.': {}, 'f:lastTransitionTime': {}, 'f:status': {}, 'f:type': {} },
          },
        },
      },
    ])
  })

  it('are shown to those who ask only', async () => {
    const { client } = startServer()
    const made = await client.create(ConfigMap, configMap({ x: '1' }), { fieldManager: 'one' })
    expect(made.metadata.managedFields).toBeUndefined()
    const shown = await client.get(ConfigMap, ref, { managedFields: true })
    expect(owners(shown.metadata.managedFields)).toEqual([['one', 'Update', { 'f:data': { '.': {}, 'f:x': {} } }]])
  })

  it('pass to whoever changes a field', async () => {
    const { client } = startServer()
    await client.create(ConfigMap, configMap({ x: '1', y: '1' }), { fieldManager: 'one' })
    const patch = { data: { y: '2', z: '1' } }
    const options = { type: 'application/merge-patch+json', fieldManager: 'two', managedFields: true } as const
    const changed = await client.patch(ConfigMap, ref, patch, options)
    expect(owners(changed.metadata.managedFields)).toEqual([
      ['one', 'Update', { 'f:data': { '.': {}, 'f:x': {} } }],
      ['two', 'Update', { 'f:data': { 'f:y': {}, 'f:z': {} } }],
    ])
  })

  it('of what is applied again, in another spelling and later, stay, and nothing is written', async () => {
    const { client, world } = startServer()
    const apply = (storage: string) => {
      const spec = { limits: [{ type: 'PersistentVolumeClaim', max: { storage } }] }
      const config = { apiVersion: 'v1', kind: 'LimitRange', metadata: ref, spec } as const
      return client.apply(LimitRange, config, { fieldManager: 'one', managedFields: true })
    }
    const first = await apply('0.5Gi')
    await world.advance(60_000)
    expect((await apply('0.5Gi')).metadata).toEqual(first.metadata)
    expect((await apply('512Mi')).metadata).toEqual(first.metadata)
    expect((await apply('1Gi')).metadata.managedFields?.[0]?.time).not.toBe(first.metadata.managedFields?.[0]?.time)
  })

  it('tell writes of the status apart', async () => {
    const { client } = startServer()
    const made = await client.create(Deployment, deployment, { fieldManager: 'one' })
    const status = { ...made, status: { replicas: 1, observedGeneration: 1 } }
    const written = await client.updateStatus(Deployment, status, { fieldManager: 'ctl', managedFields: true })
    expect(owners(written.metadata.managedFields)).toContainEqual([
      'ctl',
      'Update',
      'status',
      { 'f:status': { 'f:observedGeneration': {}, 'f:replicas': {} } },
    ])
  })

  it('leave out what a write of that kind cannot change', async () => {
    const { client } = startServer()
    const made = await client.create(
      VolumeAttachment,
      {
        apiVersion: 'storage.k8s.io/v1',
        kind: 'VolumeAttachment',
        metadata: { name: 'a' },
        spec: { attacher: 'csi.example.com', nodeName: 'n', source: { persistentVolumeName: 'v' } },
      },
      { fieldManager: 'one' },
    )
    const metadata = { ...made.metadata, labels: { mine: 'yes' } }
    const attached = await client.updateStatus(
      VolumeAttachment,
      { ...made, metadata, status: { attached: true } },
      { fieldManager: 'ctl', managedFields: true },
    )
    expect(owners(attached.metadata.managedFields)).toContainEqual([
      'ctl',
      'Update',
      'status',
      { 'f:status': { 'f:attached': {} } },
    ])
    const range = await client.create(
      ServiceCIDR,
      {
        apiVersion: 'networking.k8s.io/v1',
        kind: 'ServiceCIDR',
        metadata: { name: 'more' },
        spec: { cidrs: ['10.7.0.0/16'] },
        status: { conditions: [] },
      },
      { fieldManager: 'one', managedFields: true },
    )
    expect(owners(range.metadata.managedFields)).toEqual([['one', 'Update', { 'f:spec': { 'f:cidrs': {} } }]])
  })

  it('that cannot be read are taken for none that were sent', async () => {
    const { client } = startServer()
    await client.create(ConfigMap, configMap({ x: '1' }), { fieldManager: 'one' })
    const entry = { manager: 'two', operation: 'Update', apiVersion: 'v1', fieldsType: 'FieldsV1', fieldsV1: {} }
    const send = (changes: object) =>
      client.patch(
        ConfigMap,
        ref,
        { metadata: { managedFields: [{ ...entry, ...changes }] } },
        {
          type: 'application/merge-patch+json',
          managedFields: true,
        },
      )
    const kept = [['one', 'Update', { 'f:data': { '.': {}, 'f:x': {} } }]]
    for (const wrong of [{ operation: 'Own' }, { apiVersion: '' }, { fieldsType: 'V2' }, { fieldsV1: { x: {} } }])
      expect(owners((await send(wrong)).metadata.managedFields)).toEqual(kept)
    const given = await send({ fieldsV1: { 'f:data': { 'f:x': {} } } })
    expect(owners(given.metadata.managedFields)).toEqual([['two', 'Update', { 'f:data': { 'f:x': {} } }]])
  })

  it('are lost in every version of a kind, and with a version that is not there', async () => {
    const { client } = startServer()
    const scaleTargetRef = { apiVersion: 'apps/v1', kind: 'Deployment', name: 'a' }
    const spec = { scaleTargetRef, maxReplicas: 3, targetCPUUtilizationPercentage: 50 }
    const first = { apiVersion: 'autoscaling/v1', kind: 'HorizontalPodAutoscaler', metadata: ref, spec }
    await client.create(AutoscalingV1HorizontalPodAutoscaler, first, { fieldManager: 'one' })
    const target = { type: 'Utilization', averageUtilization: 70 }
    const metrics = [{ type: 'Resource', resource: { name: 'cpu', target } }]
    const merge = { type: 'application/merge-patch+json', fieldManager: 'two', managedFields: true } as const
    const changed = await client.patch(HorizontalPodAutoscaler, ref, { spec: { metrics } }, merge)
    const common = { 'f:maxReplicas': {}, 'f:minReplicas': {}, 'f:scaleTargetRef': {} }
    expect(owners(changed.metadata.managedFields)).toEqual([
      ['one', 'Update', { 'f:spec': common }],
      ['two', 'Update', { 'f:spec': { 'f:metrics': {} } }],
    ])
    const config = { apiVersion: 'autoscaling/v1', kind: 'HorizontalPodAutoscaler', metadata: ref }
    const asked = { ...config, spec: { ...spec, targetCPUUtilizationPercentage: 80 } }
    await expect(client.apply(AutoscalingV1HorizontalPodAutoscaler, asked, { fieldManager: 'three' })).rejects.toThrow(
      'Apply failed with 1 conflict: conflict with "two" using autoscaling/v2: .spec.metrics',
    )
    const entry = { manager: 'old', operation: 'Update', apiVersion: 'v0', fieldsType: 'FieldsV1' }
    await client.create(ConfigMap, configMap({ x: '1' }), { fieldManager: 'one' })
    const managedFields = [{ ...entry, fieldsV1: { 'f:data': { 'f:x': {} } } }]
    const map = await client.patch(ConfigMap, ref, { metadata: { managedFields }, data: { y: '1' } }, merge)
    expect(owners(map.metadata.managedFields)).toEqual([['two', 'Update', { 'f:data': { 'f:y': {} } }]])
  })

  const [v1, v2] = [AutoscalingV1HorizontalPodAutoscaler, HorizontalPodAutoscaler] as unknown as [
    Kind<AnyObject>,
    Kind<AnyObject>,
  ]
  it.each([
    [v1, v2],
    [v2, v1],
  ])('go with the fields, also of an apply in another version: $0.version, then $1.version', async (first, second) => {
    const { client } = startServer()
    const scaleTargetRef = { apiVersion: 'apps/v1', kind: 'Deployment', name: 'a' }
    const target = { type: 'Utilization', averageUtilization: 70 }
    const cpu = {
      v1: { targetCPUUtilizationPercentage: 70 },
      v2: { metrics: [{ type: 'Resource', resource: { name: 'cpu', target } }] },
    }
    const config = (kind: Kind<AnyObject>, more: object) =>
      ({
        apiVersion: `autoscaling/${kind.version}`,
        kind: 'HorizontalPodAutoscaler',
        metadata: ref,
        spec: { scaleTargetRef, maxReplicas: 3, ...more },
      }) as AnyObject
    const apply = (kind: Kind<AnyObject>, more: object) =>
      client.apply<AnyObject>(kind, config(kind, more), { fieldManager: 'one' })
    await apply(first, { ...cpu[first.version as 'v1'], minReplicas: 2 })
    const kept = await client.apply<AnyObject>(second, config(second, cpu[second.version as 'v1']), {
      fieldManager: 'two',
    })
    expect(kept['spec']).toMatchObject({ minReplicas: 2, ...cpu[second.version as 'v1'] })
    // Somebody else owns the target, in the other version; nobody the minimum.
    const shared = await apply(second, {})
    expect(shared['spec']).toEqual({ scaleTargetRef, maxReplicas: 3, minReplicas: 1, ...cpu[second.version as 'v1'] })
    await client.apply(second, config(second, {}), { fieldManager: 'two' })
    const utilization = async () => {
      const { spec } = await client.get(HorizontalPodAutoscaler, ref)
      return spec?.metrics?.[0]?.resource?.target.averageUtilization
    }
    await apply(first, cpu[first.version as 'v1'])
    expect(await utilization()).toBe(70)
    await apply(second, {})
    expect(await utilization()).not.toBe(70)
  })

  it('have managers with names that can be printed', async () => {
    const { client } = startServer()
    await expect(client.create(ConfigMap, configMap({}), { fieldManager: 'a\nü\u200b' })).rejects.toThrow(
      '[fieldManager: Invalid value: "a\\nü\\u200b": invalid character U+000A (at position 1), ' +
        'fieldManager: Invalid value: "a\\nü\\u200b": invalid character U+200B (at position 4)]',
    )
  })
})

describe('server-side apply', () => {
  it('creates, keeps its revision when nothing changes, and refuses what others own', async () => {
    const { client } = startServer()
    const one = { fieldManager: 'one' }
    const made = await client.apply(ConfigMap, configMap({ x: '1' }), one)
    expect(await client.apply(ConfigMap, configMap({ x: '1' }), one)).toBe(made)
    const refused = client.apply(ConfigMap, configMap({ x: '2' }), { fieldManager: 'two' })
    await expect(refused).rejects.toThrow('Apply failed with 1 conflict: conflict with "one": .data.x')
    const forced = await client.apply(ConfigMap, configMap({ x: '2' }), { fieldManager: 'two', force: true })
    expect(forced.data).toEqual({ x: '2' })
  })

  it('of a dry run changes nothing', async () => {
    const { client } = startServer()
    await client.apply(ConfigMap, configMap({ x: '1' }), { fieldManager: 'one' })
    const tried = await client.apply(ConfigMap, configMap({ y: '1' }), { fieldManager: 'one', dryRun: true })
    expect(tried.data).toEqual({ y: '1' })
    expect((await client.get(ConfigMap, ref)).data).toEqual({ x: '1' })
  })

  it('of a Scale owns the replicas', async () => {
    const { client } = startServer()
    await client.create(Deployment, deployment, { fieldManager: 'one' })
    const config = { apiVersion: 'autoscaling/v1', kind: 'Scale', metadata: { name: 'a' }, spec: { replicas: 3 } }
    const apply = (force: boolean) =>
      client.patch(Deployment, ref, config, {
        type: 'application/apply-patch+yaml',
        subresource: 'scale',
        fieldManager: 'two',
        force,
      })
    await expect(apply(false)).rejects.toSatisfy(
      (error) =>
        (error as ApiError).message ===
        'Apply failed with 1 conflict: conflict with "one" using autoscaling/v1: .spec.replicas',
    )
    expect((await apply(true)) as unknown as AnyObject).toMatchObject({ kind: 'Scale', spec: { replicas: 3 } })
    const { spec, metadata } = await client.get(Deployment, ref, { managedFields: true })
    expect(spec.replicas).toBe(3)
    expect(owners(metadata.managedFields)).toContainEqual(['two', 'Apply', 'scale', { 'f:spec': { 'f:replicas': {} } }])
  })

  it('of a Scale without replicas leaves none, and refuses what a Scale does not have', async () => {
    const { client } = startServer()
    await client.create(Deployment, deployment, { fieldManager: 'one' })
    const apply = (spec: unknown) => {
      const config = { apiVersion: 'autoscaling/v1', kind: 'Scale', metadata: { name: 'a' }, spec } as AnyObject
      const type = 'application/apply-patch+yaml'
      return client.patch(Deployment, ref, config, { type, subresource: 'scale', fieldManager: 'two', force: true })
    }
    await expect(apply({ replicas: '3' })).rejects.toThrow(
      'failed to create typed patch object (/a; autoscaling/v1, Kind=Scale): ' +
        '.spec.replicas: expected numeric (int or float), got string',
    )
    await expect(apply({ size: 3 })).rejects.toThrow('.spec.size: field not declared in schema')
    await apply({ replicas: 3 })
    await apply({})
    expect((await client.get(Deployment, ref)).spec.replicas).toBe(0)
  })

  it('says what does not fit: the names, the uid of nothing, a value that cannot be converted', async () => {
    const { client } = startServer()
    const named = (metadata: unknown) => ({ ...configMap({ x: '1' }), metadata: metadata as ConfigMap['metadata'] })
    const patch = (config: unknown) =>
      client.patch(ConfigMap, ref, config as AnyObject, {
        type: 'application/apply-patch+yaml',
        fieldManager: 'one',
      })
    await expect(patch({ ...configMap({}), apiVersion: 'a/b/c' })).rejects.toThrow('invalid object type: /, Kind=')
    await expect(patch(named({ name: 'a', uid: 'u' }))).rejects.toThrow(
      'Operation cannot be fulfilled on configmaps "a": ' +
        'uid mismatch: the provided object specified uid u, and no existing object was found',
    )
    await expect(patch(named({}))).rejects.toThrow('name must be provided')
    await expect(patch(named('a'))).rejects.toThrow(
      'failed to create typed patch object (/; /v1, Kind=ConfigMap): .metadata: expected map, got &{a}',
    )
    await patch(named({ name: 'a', resourceVersion: '7' }))
    expect((await patch({ ...named({}), data: { y: '1' } })).data).toEqual({ y: '1' })
    const strategy = { rollingUpdate: { maxSurge: true } }
    const spec = { ...deployment.spec, strategy } as unknown as Deployment['spec']
    await expect(client.apply(Deployment, { ...deployment, spec }, { fieldManager: 'one' })).rejects.toThrow(
      'failed to convert new object (default/a; apps/v1, Kind=Deployment) to proper version: ' +
        'unable to convert unstructured object to apps/v1, Kind=Deployment: ' +
        'json: cannot unmarshal bool into Go value of type int32',
    )
  })
})
