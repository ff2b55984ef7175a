// Defaults of a Deployment: roll a quarter at a time, keep ten revisions, give up after ten minutes.

import type { Deployment } from '../generated/types.ts'
import { templateDefaults } from '../podspec/defaults.ts'
import { withDefaults } from '../sharing.ts'
import { rollingDefaults } from '../workload/rolling.ts'

export function deploymentDefaults(deployment: Deployment): Deployment {
  const { spec } = deployment
  return withDefaults(deployment, {
    spec: withDefaults(spec, {
      replicas: spec.replicas ?? 1,
      strategy: rollingDefaults(spec.strategy ?? {}, { maxUnavailable: '25%', maxSurge: '25%' }),
      revisionHistoryLimit: spec.revisionHistoryLimit ?? 10,
      progressDeadlineSeconds: spec.progressDeadlineSeconds ?? 600,
      template: templateDefaults(spec.template),
    }),
  })
}
