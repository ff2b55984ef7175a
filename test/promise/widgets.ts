// A custom kind with what definitions say of merging: a list by key, a set, an atomic list, defaults, and free parts.

import { anyObject, definitionOf, Widget } from '../support/custom-kinds.ts'

const property = (type: string, more: object = {}) => ({ type, ...more })

const openAPIV3Schema = property('object', {
  properties: {
    spec: property('object', {
      properties: {
        size: property('integer'),
        colour: property('string', { default: 'red' }),
        share: { 'x-kubernetes-int-or-string': true },
        order: property('array', { items: property('string') }),
        free: anyObject,
        template: anyObject,
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
})

export const widgets = definitionOf(Widget, { versions: [{ schema: { openAPIV3Schema } }] })
