// Short words for the schemas of the lab's kinds. Every field has a description: `kubectl explain` is their manual.

import type { JsonObject } from '#objects'
import type { CustomResourceDefinition, JSONSchemaProps } from '../generated/types.ts'

export type Properties = { readonly [name: string]: JsonObject }

export const labGroup = 'lab.homeostat.dev'
export const labVersion = 'v1alpha1'

export const text = (description: string): JsonObject => ({ type: 'string', description })
export const flag = (description: string): JsonObject => ({ type: 'boolean', description })
export const whole = (description: string, minimum = 0): JsonObject => ({
  type: 'integer',
  format: 'int32',
  minimum,
  description,
})
export const seconds = (description: string): JsonObject => ({ type: 'number', minimum: 0, description })
export const bytes = (description: string): JsonObject => ({
  type: 'integer',
  format: 'int64',
  minimum: 0,
  description,
})
export const quantity = (description: string): JsonObject => ({ 'x-kubernetes-int-or-string': true, description })
export const oneOf = (values: readonly string[], description: string): JsonObject => ({
  type: 'string',
  enum: [...values],
  description,
})
export const list = (items: JsonObject, description: string): JsonObject => ({ type: 'array', items, description })
export const texts = (description: string): JsonObject => list({ type: 'string' }, description)
export const textMap = (description: string): JsonObject => ({
  type: 'object',
  additionalProperties: { type: 'string' },
  description,
})
export const object = (properties: Properties, description: string, required: readonly string[] = []): JsonObject => ({
  type: 'object',
  properties,
  description,
  ...(required.length === 0 ? {} : { required: [...required] }),
})
/** An object whose fields are those of a built-in kind. */
export const anything = (description: string): JsonObject => ({
  type: 'object',
  'x-kubernetes-preserve-unknown-fields': true,
  description,
})

export const labelSelector = (description: string): JsonObject =>
  object(
    {
      matchLabels: textMap('Labels that must be there with just these values.'),
      matchExpressions: list(
        object(
          {
            key: text('The label.'),
            operator: oneOf(['In', 'NotIn', 'Exists', 'DoesNotExist'], 'How the label relates to the values.'),
            values: texts('The values, for In and NotIn.'),
          },
          'One requirement.',
          ['key', 'operator'],
        ),
        'Requirements; all must hold.',
      ),
    },
    description,
  )

/** Fields of what holds for nodes: NodeMatch. */
export const nodeMatch: Properties = {
  nodes: texts('Globs of node names.'),
  nodeSelector: labelSelector('Labels of the nodes.'),
}

/** Each of these kinds is cluster-scoped, has a status subresource, and belongs to the category `lab`. */
export interface LabDefinition {
  readonly kind: string
  readonly plural: string
  readonly shortNames: readonly string[]
  readonly description: string
  readonly spec: JsonObject
  readonly status: JsonObject
  readonly columns: readonly {
    readonly name: string
    readonly type: string
    readonly jsonPath: string
    readonly description?: string
    readonly priority?: number
  }[]
}

export function labDefinition({ kind, plural, shortNames, columns, ...rest }: LabDefinition): CustomResourceDefinition {
  const { description, spec, status } = rest
  const schema: JsonObject = {
    type: 'object',
    description,
    required: ['spec'],
    properties: {
      apiVersion: { type: 'string' },
      kind: { type: 'string' },
      metadata: { type: 'object' },
      spec,
      status,
    },
  }
  return {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: `${plural}.${labGroup}`, labels: { 'app.kubernetes.io/part-of': 'homeostat' } },
    spec: {
      group: labGroup,
      scope: 'Cluster',
      names: {
        plural,
        singular: kind.toLowerCase(),
        kind,
        listKind: `${kind}List`,
        shortNames: [...shortNames],
        categories: ['lab'],
      },
      versions: [
        {
          name: labVersion,
          served: true,
          storage: true,
          subresources: { status: {} },
          additionalPrinterColumns: [
            ...columns,
            { name: 'Age', type: 'date', jsonPath: '.metadata.creationTimestamp' },
          ],
          schema: { openAPIV3Schema: schema as JSONSchemaProps },
        },
      ],
    },
  }
}
