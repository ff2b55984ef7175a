// Deployment (apps/v1).

import { isEqual } from '#objects'
import { Deployment } from '../generated/types.ts'
import type { KindRules } from '../kind.ts'
import { workloadWarnings } from '../workload/warnings.ts'
import { deploymentColumns } from './columns.ts'
import { deploymentDefaults } from './defaults.ts'
import { validateDeployment, validateDeploymentStatus, validateDeploymentUpdate } from './validate.ts'

export const deploymentRules: KindRules<Deployment> = {
  kind: Deployment,
  defaults: deploymentDefaults,
  // Annotations count too: they say how to roll out.
  generation: (object, old) =>
    !isEqual(object.spec, old.spec) || !isEqual(object.metadata.annotations, old.metadata.annotations),
  validate: validateDeployment,
  validateUpdate: validateDeploymentUpdate,
  validateStatusUpdate: validateDeploymentStatus,
  warnings: workloadWarnings,
  columns: deploymentColumns,
}
