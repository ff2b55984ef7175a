import { describe, expect, it } from 'vitest'
import type { Ingress, IngressClass } from '#kinds'
import { classOf } from './decide.ts'

const ingressClass = (name: string, created: string, isDefault = false): IngressClass => ({
  apiVersion: 'networking.k8s.io/v1',
  kind: 'IngressClass',
  metadata: {
    name,
    creationTimestamp: created,
    ...(isDefault ? { annotations: { 'ingressclass.kubernetes.io/is-default-class': 'true' } } : {}),
  },
  spec: { controller: 'k8s.io/ingress-nginx' },
})

const ingress = (className?: string, annotation?: string): Ingress => ({
  apiVersion: 'networking.k8s.io/v1',
  kind: 'Ingress',
  metadata: {
    name: 'i',
    ...(annotation === undefined ? {} : { annotations: { 'kubernetes.io/ingress.class': annotation } }),
  },
  spec: className === undefined ? {} : { ingressClassName: className },
})

describe('the class of an Ingress', () => {
  const classes = [
    ingressClass('late', '2026-01-02T00:00:00Z', true),
    ingressClass('early', '2026-01-01T00:00:00Z', true),
    ingressClass('other', '2025-01-01T00:00:00Z'),
  ]
  it.each<readonly [string, Ingress, string | undefined]>([
    ['named', ingress('other'), 'other'],
    ['annotated', ingress(undefined, 'late'), 'late'],
    ['unknown', ingress('none'), undefined],
    ['default', ingress(), 'early'],
  ])('%s', (_name, one, expected) => {
    expect(classOf(one, classes)?.metadata.name).toBe(expected)
  })
})
