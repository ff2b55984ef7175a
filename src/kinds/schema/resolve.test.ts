import { expect, it } from 'vitest'
import { builtInSchema, schemaById } from './resolve.ts'

const field = (id: string, name: string) => schemaById(id)?.properties?.get(name)

it('finds the schema of a kind and follows references', () => {
  const pod = builtInSchema('', 'v1', 'Pod')
  expect(pod?.id).toBe('io.k8s.api.core.v1.Pod')
  const containers = pod?.properties?.get('spec')?.properties?.get('containers')
  expect(containers).toMatchObject({ type: 'array', listType: 'map', listMapKeys: ['name'], goType: '[]v1.Container' })
  expect(containers?.items?.properties?.get('ports')?.listMapKeys).toEqual(['containerPort', 'protocol'])
  expect(builtInSchema('example.com', 'v1', 'Widget')).toBeUndefined()
})

it('shares the fields of a type between all that refer to it', () => {
  const spec = schemaById('io.k8s.api.core.v1.PodSpec')?.properties
  expect(spec?.get('containers')?.items?.properties).toBe(spec?.get('initContainers')?.items?.properties)
})

it('ends for recursive types', () => {
  const props = schemaById('io.k8s.apiextensions-apiserver.pkg.apis.apiextensions.v1.JSONSchemaProps')?.properties
  expect(props?.get('properties')?.values?.properties).toBe(props)
})

it('knows what a Go server stores for absent fields', () => {
  const deployment = builtInSchema('apps', 'v1', 'Deployment')?.properties
  expect(deployment?.get('status')?.absent).toEqual({})
  expect(field('io.k8s.api.core.v1.Container', 'name')?.absent).toBe('')
  expect(field('io.k8s.api.core.v1.Container', 'image')?.absent).toBeUndefined()
  expect(field('io.k8s.api.rbac.v1.Role', 'rules')?.absent).toBeNull()
  expect(field('io.k8s.api.core.v1.ResourceFieldSelector', 'divisor')?.absent).toBe('0')
  expect(field('io.k8s.api.core.v1.PodCondition', 'lastProbeTime')?.absent).toBeNull()
  expect(field('io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta', 'creationTimestamp')?.absent).toBeUndefined()
  expect(field('io.k8s.api.apps.v1.DeploymentSpec', 'replicas')).toMatchObject({ pointer: true, goType: 'int32' })
  expect(field('io.k8s.api.core.v1.Container', 'imagePullPolicy')?.goType).toBe('v1.PullPolicy')
})
