// Deployment (apps/v1).

import { Deployment } from '../generated/types.ts'
import type { KindRules } from '../kind.ts'
import { templateWarnings } from '../podspec/warnings.ts'
import { deploymentColumns } from './columns.ts'
import { deploymentDefaults } from './defaults.ts'
import { validateDeployment, validateDeploymentStatus, validateDeploymentUpdate } from './validate.ts'

export const deploymentRules: KindRules<Deployment> = {
  kind: Deployment,
  defaults: deploymentDefaults,
  validate: validateDeployment,
  validateUpdate: validateDeploymentUpdate,
  validateStatusUpdate: validateDeploymentStatus,
  warnings: ({ spec }, old) => templateWarnings(spec.template, 'spec.template', old?.spec.template),
  columns: deploymentColumns,
}
