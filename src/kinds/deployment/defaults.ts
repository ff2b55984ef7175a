// Defaults of a Deployment: roll a quarter at a time, keep ten revisions, give up after ten minutes.

import type { Deployment, DeploymentStrategy } from '../generated/types.ts'
import { templateDefaults } from '../podspec/defaults.ts'
import { withDefaults } from '../sharing.ts'

export function deploymentDefaults(deployment: Deployment): Deployment {
  const { spec } = deployment
  return withDefaults(deployment, {
    spec: withDefaults(spec, {
      replicas: spec.replicas ?? 1,
      strategy: strategyDefaults(spec.strategy ?? {}),
      revisionHistoryLimit: spec.revisionHistoryLimit ?? 10,
      progressDeadlineSeconds: spec.progressDeadlineSeconds ?? 600,
      template: templateDefaults(spec.template),
    }),
  })
}

function strategyDefaults(strategy: DeploymentStrategy): DeploymentStrategy {
  const type = strategy.type || 'RollingUpdate'
  if (type !== 'RollingUpdate') return strategy
  const rolling = strategy.rollingUpdate ?? {}
  return withDefaults(strategy, {
    type,
    rollingUpdate: withDefaults(rolling, {
      maxUnavailable: rolling.maxUnavailable ?? '25%',
      maxSurge: rolling.maxSurge ?? '25%',
    }),
  })
}
