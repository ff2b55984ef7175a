import { describe, expect, it } from 'vitest'
import type { Pod } from '#kinds'
import { orderOf } from './decide.ts'

const image = 'registry.k8s.io/ingress-nginx/kube-webhook-certgen:v1.5.2@sha256:abc'
const pod = (args: readonly string[], phase = 'Succeeded', from = image): Pod => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name: 'job-1', namespace: 'ingress-nginx' },
  spec: { containers: [{ name: 'certgen', image: from, args }] },
  status: { phase: phase as 'Succeeded' },
})

describe('a container of kube-webhook-certgen', () => {
  it('creates a Secret in the namespace of its pod', () => {
    expect(orderOf(pod(['create', '--host=a,b', '--namespace=$(POD_NAMESPACE)', '--secret-name=admission']))).toEqual({
      type: 'create',
      namespace: 'ingress-nginx',
      secret: 'admission',
      keys: ['cert', 'key'],
    })
  })

  it('names other keys and namespaces', () => {
    const args = ['create', '--namespace', 'other', '--secret-name=s', '--cert-name=tls.crt', '--key-name=tls.key']
    expect(orderOf(pod(args))).toMatchObject({ namespace: 'other', keys: ['tls.crt', 'tls.key'] })
  })

  it('patches configurations', () => {
    const args = ['patch', '--webhook-name=w', '--patch-mutating=false', '--secret-name=s']
    expect(orderOf(pod(args))).toMatchObject({ type: 'patch', webhook: 'w', mutating: false, validating: true })
  })

  it.each([
    pod(['create', '--secret-name=s'], 'Pending'),
    pod(['create', '--secret-name=s'], 'Succeeded', 'nginx'),
    pod(['create']),
    pod(['patch', '--secret-name=s']),
  ])('has done nothing: %j', (nothing) => {
    expect(orderOf(nothing)).toBeUndefined()
  })
})
