// What keeps traffic, deletions and nodes from being as they should be.
import { describe, expect, it } from 'vitest'
import type { Node, Pod } from '#kinds'
import type { AnyObject } from '#objects'
import { explainClaim } from './claim.ts'
import { explainDeletion } from './deletion.ts'
import { explainIngress } from './ingress.ts'
import { explainNode } from './node.ts'
import { explainService } from './service.ts'

const metadata = { name: 'web', namespace: 'shop', generation: 1, creationTimestamp: '2026-01-01T00:00:00Z' }
/** An object with what the case is about. */
const like = <T>(kind: string, parts: object): T => ({ apiVersion: 'v1', kind, metadata, ...parts }) as T

describe('traffic', () => {
  const ready = like<Pod>('Pod', {
    spec: { containers: [{ name: 'a', ports: [{ name: 'http' }] }] },
    status: { conditions: [{ type: 'Ready', status: 'True' }] },
  })
  const slices = [{ endpoints: [{ conditions: { ready: true } }], ports: [] }] as never
  const service = (spec: object, more: object = {}) =>
    explainService({
      service: like('Service', { spec: { selector: { a: 'b' }, ...spec } }),
      slices,
      pods: [{ pod: ready, events: [] }],
      ...more,
    })[0]
  it('finds no port of that name, no address, or nobody behind it', () => {
    expect(service({ ports: [{ port: 80, targetPort: 'htp' }] })?.gap).toContain('port named htp')
    expect(service({ type: 'LoadBalancer', loadBalancerClass: 'x/y', ports: [] })).toMatchObject({
      state: 'stuck',
      loop: expect.stringContaining('x/y'),
    })
    const zero = { pods: [], makers: [{ name: 'Deployment shop/web', replicas: 0, findings: [] }] }
    expect(service({ ports: [] }, zero)).toMatchObject({
      state: 'converged',
      gap: expect.stringContaining('scaled to zero'),
    })
  })

  it('needs a class, a Service and its port to come in', () => {
    const ingress = (ingressClassName: string | undefined, backends: readonly never[] = []) =>
      explainIngress({
        object: like('Ingress', {
          spec: {
            ...(ingressClassName && { ingressClassName }),
            defaultBackend: { service: { name: 's', port: { number: 80 } } },
          },
        }),
        classes: [like('IngressClass', { metadata: { name: 'nginx' } })],
        backends,
      })[0]?.gap
    expect(ingress(undefined)).toContain('names no class')
    expect(ingress('nope')).toContain('no IngressClass nope')
    expect(ingress('nginx')).toContain('Service s, which does not exist')
    const other = { service: { metadata: { name: 's' }, spec: { ports: [{ port: 8080 }] } }, findings: [] } as never
    expect(ingress('nginx', [other])).toContain('port 80 of the Service s, which has 8080')
  })
})

describe('a deletion', () => {
  const deleted = (finalizers: readonly string[]) =>
    explainDeletion(like<AnyObject>('ConfigMap', { metadata: { ...metadata, deletionTimestamp: 't', finalizers } }))
  it.each([
    ['example.com/x', 'stuck', 'owners of its finalizers'],
    ['foregroundDeletion', 'progressing', 'garbage collector'],
    ['kubernetes.io/pvc-protection', 'progressing', 'pvcprotection'],
    ['resources-finalizer.argocd.argoproj.io', 'progressing', 'application controller'],
  ])('held by %s', (finalizer, state, loop) =>
    expect(deleted([finalizer])).toMatchObject({ state, loop: expect.stringContaining(loop), since: 't' }),
  )
  it('of a claim names the pods that use it', () => {
    const object = like<never>('PersistentVolumeClaim', { metadata: { ...metadata, deletionTimestamp: 't' }, spec: {} })
    expect(explainClaim({ object, events: [], users: ['db-0'] })).toMatchObject({
      state: 'stuck',
      gap: expect.stringContaining('db-0'),
    })
  })
})

describe('a node', () => {
  const node = (conditions: readonly object[], spec: object = {}) =>
    explainNode(like<Node>('Node', { spec, status: { conditions } }))
  it('is silent, under pressure, cordoned or well', () => {
    expect(node([{ type: 'Ready', status: 'Unknown' }]).gap).toContain('stopped reporting')
    const ready = { type: 'Ready', status: 'True' }
    expect(node([ready, { type: 'DiskPressure', status: 'True', message: 'full' }]).gap).toContain(
      'DiskPressure=True: full',
    )
    expect(node([ready], { unschedulable: true })).toMatchObject({ state: 'converged', advice: 'kubectl uncordon web' })
  })
})
