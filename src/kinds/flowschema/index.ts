// FlowSchema (flowcontrol.apiserver.k8s.io/v1).

import { FlowSchema } from '../generated/types.ts'
import type { KindRules } from '../kind.ts'
import { withDefaults } from '../sharing.ts'
import { ageColumn, nameColumn, text } from '../table/columns.ts'
import { validateFlowSchema, validateFlowSchemaStatus } from './validate.ts'

const defaultPrecedence = 1000

export const flowSchemaRules: KindRules<FlowSchema> = {
  kind: FlowSchema,
  statusKeepsMetadata: true,
  defaults: (schema) => {
    const { spec } = schema
    if (spec === undefined) return schema
    return withDefaults(schema, {
      spec: withDefaults(spec, { matchingPrecedence: spec.matchingPrecedence || defaultPrecedence }),
    })
  },
  validate: validateFlowSchema,
  validateStatusUpdate: validateFlowSchemaStatus,
  rowOrder: ({ metadata, spec }, other) =>
    (spec.matchingPrecedence ?? 0) - (other.spec.matchingPrecedence ?? 0) ||
    ((metadata.name ?? '') < (other.metadata.name ?? '') ? -1 : 1),
  columns: [
    nameColumn,
    text(
      'PriorityLevel',
      '`name` is the name of the priority level configuration being referenced Required.',
      ({ spec }) => spec.priorityLevelConfiguration.name,
    ),
    text(
      'MatchingPrecedence',
      '`matchingPrecedence` is used to choose among the FlowSchemas that match a given request. The chosen FlowSchema is among those with the numerically lowest (which we take to be logically highest) MatchingPrecedence.  Each MatchingPrecedence value must be ranged in [1,10000]. Note that if the precedence is not specified, it will be set to 1000 as default.',
      ({ spec }) => spec.matchingPrecedence ?? 0,
    ),
    text(
      'DistinguisherMethod',
      '`distinguisherMethod` defines how to compute the flow distinguisher for requests that match this schema. `nil` specifies that the distinguisher is disabled and thus will always be the empty string.',
      ({ spec }) => spec.distinguisherMethod?.type ?? '<none>',
    ),
    ageColumn,
    text(
      'MissingPL',
      'references a broken or non-existent PriorityLevelConfiguration',
      ({ status }) => status?.conditions?.find(({ type }) => type === 'Dangling')?.status ?? '?',
    ),
  ],
}
