// A custom kind with what definitions say of merging: a list by key, a set, an atomic list, defaults, and free parts.

import type { CustomResourceDefinition } from '#kinds'

const property = (type: string, more: object = {}) => ({ type, ...more })
export const widgets: CustomResourceDefinition = {
  apiVersion: 'apiextensions.k8s.io/v1',
  kind: 'CustomResourceDefinition',
  metadata: { name: 'widgets.example.io' },
  spec: {
    group: 'example.io',
    names: { kind: 'Widget', plural: 'widgets', singular: 'widget', listKind: 'WidgetList' },
    scope: 'Namespaced',
    versions: [
      {
        name: 'v1',
        served: true,
        storage: true,
        schema: {
          openAPIV3Schema: property('object', {
            properties: {
              spec: property('object', {
                properties: {
                  size: property('integer'),
                  colour: property('string', { default: 'red' }),
                  share: { 'x-kubernetes-int-or-string': true },
                  order: property('array', { items: property('string') }),
                  free: property('object', { 'x-kubernetes-preserve-unknown-fields': true }),
                  template: property('object', { 'x-kubernetes-preserve-unknown-fields': true }),
                  parts: property('array', {
                    'x-kubernetes-list-type': 'map',
                    'x-kubernetes-list-map-keys': ['id'],
                    items: property('object', {
                      required: ['id'],
                      properties: {
                        id: property('string'),
                        amount: property('integer', { default: 1 }),
                        tags: property('array', { 'x-kubernetes-list-type': 'set', items: property('string') }),
                      },
                    }),
                  }),
                },
              }),
            },
          }),
        },
      },
    ],
  },
} as unknown as CustomResourceDefinition
