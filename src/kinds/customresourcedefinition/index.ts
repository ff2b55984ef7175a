// CustomResourceDefinition (apiextensions.k8s.io/v1). Whether names are accepted is decided by the API server.

import { CustomResourceDefinition, type CustomResourceDefinitionNames } from '../generated/types.ts'
import type { KindRules } from '../kind.ts'
import { withDefaults } from '../sharing.ts'
import { defaultServicePort } from '../webhook/client.ts'
import { formatWarnings } from './format-warnings.ts'
import { validateDefinition, validateDefinitionStatus, validateDefinitionUpdate } from './validate.ts'

type Conversion = NonNullable<CustomResourceDefinition['spec']['conversion']>

function defaults(definition: CustomResourceDefinition): CustomResourceDefinition {
  const { spec } = definition
  if (spec === undefined) return definition
  return withDefaults(definition, {
    spec: withDefaults(spec, {
      names: spec.names && namesDefaults(spec.names),
      conversion: spec.conversion === undefined ? { strategy: 'None' } : conversionDefaults(spec.conversion),
    }),
  })
}

const namesDefaults = (names: CustomResourceDefinitionNames): CustomResourceDefinitionNames =>
  withDefaults(names, {
    singular: names.singular || (names.kind ? names.kind.toLowerCase() : undefined),
    listKind: names.listKind || (names.kind ? `${names.kind}List` : undefined),
  })

function conversionDefaults(conversion: Conversion): Conversion {
  const { webhook } = conversion
  const service = webhook?.clientConfig?.service
  if (webhook?.clientConfig === undefined || service === undefined) return conversion
  const clientConfig = withDefaults(webhook.clientConfig, {
    service: withDefaults(service, { port: service.port ?? defaultServicePort }),
  })
  return withDefaults(conversion, { webhook: withDefaults(webhook, { clientConfig }) })
}

/** Versions that objects may have been stored in: the storage version joins them on every write. */
function withStorageVersion(definition: CustomResourceDefinition): CustomResourceDefinition {
  const storage = definition.spec?.versions?.find((version) => version.storage)
  const { status = {} } = definition
  const stored = status.storedVersions ?? []
  if (storage === undefined || stored.includes(storage.name)) return definition
  return { ...definition, status: { ...status, storedVersions: [...stored, storage.name] } }
}

const emptyStatus = { acceptedNames: { kind: '', plural: '' }, conditions: null, storedVersions: null }

export const customResourceDefinitionRules: KindRules<CustomResourceDefinition> = {
  kind: CustomResourceDefinition,
  statusKeepsMetadata: true,
  allowUnconditionalUpdate: false,
  defaults,
  prepareForCreate: (definition) =>
    withStorageVersion({ ...definition, status: emptyStatus as unknown as NonNullable<typeof definition.status> }),
  prepareForUpdate: (definition, old) => withStorageVersion(withDefaults(definition, { status: old.status })),
  validate: validateDefinition,
  warnings: formatWarnings,
  validateUpdate: validateDefinitionUpdate,
  validateStatusUpdate: validateDefinitionStatus,
}
