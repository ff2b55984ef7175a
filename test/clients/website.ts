// The custom resource of the controller in website-controller.ts, as both it and its test know it.

import type { KubernetesObject, V1CustomResourceDefinition } from '@kubernetes/client-node'

export const group = 'example.com'
export const version = 'v1'
export const plural = 'websites'

export interface Website extends KubernetesObject {
  readonly spec: { readonly html: string; readonly replicas?: number }
  readonly status?: { readonly observedGeneration: number; readonly availableReplicas: number }
}

export const websiteDefinition: V1CustomResourceDefinition = {
  apiVersion: 'apiextensions.k8s.io/v1',
  kind: 'CustomResourceDefinition',
  metadata: { name: `${plural}.${group}` },
  spec: {
    group,
    scope: 'Namespaced',
    names: { kind: 'Website', plural, singular: 'website' },
    versions: [
      {
        name: version,
        served: true,
        storage: true,
        subresources: { status: {} },
        schema: {
          openAPIV3Schema: {
            type: 'object',
            required: ['spec'],
            properties: {
              spec: {
                type: 'object',
                required: ['html'],
                properties: {
                  html: { type: 'string', maxLength: 1000 },
                  replicas: { type: 'integer', minimum: 0, _default: 2 },
                },
              },
              status: {
                type: 'object',
                properties: { observedGeneration: { type: 'integer' }, availableReplicas: { type: 'integer' } },
              },
            },
          },
        },
      },
    ],
  },
}
