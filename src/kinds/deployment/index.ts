// Deployment (apps/v1).

import { isEqual } from '#objects'
import { Deployment } from '../generated/types.ts'
import type { KindRules } from '../kind.ts'
import { without } from '../sharing.ts'
import { withoutEnding } from '../workload/status.ts'
import { workloadWarnings } from '../workload/warnings.ts'
import { deploymentColumns } from './columns.ts'
import { deploymentDefaults } from './defaults.ts'
import { validateDeployment, validateDeploymentStatus, validateDeploymentUpdate } from './validate.ts'

/** Annotations may be written with the status, labels may not. */
function prepareForStatusUpdate(object: Deployment, old: Deployment): Deployment {
  const { labels } = old.metadata
  const metadata = isEqual(object.metadata.labels, labels)
    ? object.metadata
    : { ...without(object.metadata, 'labels'), ...(labels && { labels }) }
  const status = object.status && withoutEnding(object.status, old.status)
  const base = status === old.status ? old : status === undefined ? without(old, 'status') : { ...old, status }
  return base.metadata === metadata ? base : { ...base, metadata }
}

export const deploymentRules: KindRules<Deployment> = {
  kind: Deployment,
  defaults: deploymentDefaults,
  // Annotations count too: they say how to roll out.
  generation: (object, old) =>
    !isEqual(object.spec, old.spec) || !isEqual(object.metadata.annotations, old.metadata.annotations),
  prepareForStatusUpdate,
  validate: validateDeployment,
  validateUpdate: validateDeploymentUpdate,
  validateStatusUpdate: validateDeploymentStatus,
  warnings: workloadWarnings,
  columns: deploymentColumns,
}
