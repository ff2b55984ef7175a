// Faults of Deployments (pkg/apis/apps/validation).

import { isEqual } from '#objects'
import { type FieldError, forbidden, invalid, notSupported, required } from '../field-error.ts'
import type { Deployment, DeploymentStrategy } from '../generated/types.ts'
import { asGoStruct, goStruct } from '../go-struct.ts'
import {
  checkAtMostAll,
  checkCountOrPercent,
  checkImmutableSelector,
  checkNonNegative,
  isZero,
} from '../workload/selector.ts'
import { checkAvailableAreReady, checkCollisions, checkCounts, checkPartsOfReplicas } from '../workload/status.ts'
import { checkSelectorAndTemplate } from '../workload/template.ts'

export function validateDeployment({ spec }: Deployment): readonly FieldError[] {
  const errors: FieldError[] = []
  checkNonNegative(spec.replicas, 'spec.replicas', errors)
  checkSelectorAndTemplate(spec, { selectorOf: 'deployment', deadlineIn: 'ReplicaSet' }, errors)
  checkStrategy(spec.strategy ?? {}, 'spec.strategy', errors)
  checkNonNegative(spec.minReadySeconds, 'spec.minReadySeconds', errors)
  checkNonNegative(spec.revisionHistoryLimit, 'spec.revisionHistoryLimit', errors)
  const deadline = spec.progressDeadlineSeconds
  if (deadline !== undefined) {
    checkNonNegative(deadline, 'spec.progressDeadlineSeconds', errors)
    if (deadline <= (spec.minReadySeconds ?? 0))
      errors.push(invalid('spec.progressDeadlineSeconds', deadline, 'must be greater than minReadySeconds'))
  }
  return errors
}

const internalStrategy = goStruct('Type="" RollingUpdate', { RollingUpdate: goStruct('MaxUnavailable=0 MaxSurge=0') })

function checkStrategy(strategy: DeploymentStrategy, path: string, errors: FieldError[]): void {
  const { rollingUpdate } = strategy
  const type: string = strategy.type ?? ''
  if (type === 'Recreate') {
    if (rollingUpdate !== undefined)
      errors.push(forbidden(`${path}.rollingUpdate`, "may not be specified when strategy `type` is 'Recreate'"))
  } else if (type !== 'RollingUpdate')
    errors.push(notSupported(path, asGoStruct(internalStrategy, strategy), ['Recreate', 'RollingUpdate']))
  else if (rollingUpdate === undefined)
    errors.push(required(`${path}.rollingUpdate`, 'this should be defaulted and never be nil'))
  else {
    const { maxUnavailable, maxSurge } = rollingUpdate
    const at = `${path}.rollingUpdate.maxUnavailable`
    checkCountOrPercent(maxUnavailable, at, errors)
    checkCountOrPercent(maxSurge, `${path}.rollingUpdate.maxSurge`, errors)
    if (isZero(maxUnavailable) && isZero(maxSurge))
      errors.push(invalid(at, maxUnavailable ?? 0, 'may not be 0 when `maxSurge` is 0'))
    checkAtMostAll(maxUnavailable, at, errors)
  }
}

export function validateDeploymentUpdate(deployment: Deployment, old: Deployment): readonly FieldError[] {
  const errors = [...validateDeployment(deployment)]
  checkImmutableSelector(deployment.spec.selector, isEqual(deployment.spec.selector, old.spec.selector), errors)
  return errors
}

export function validateDeploymentStatus({ status = {} }: Deployment, old: Deployment): readonly FieldError[] {
  const errors: FieldError[] = []
  checkCounts(
    status,
    [
      'observedGeneration',
      'replicas',
      'updatedReplicas',
      'readyReplicas',
      'availableReplicas',
      'unavailableReplicas',
      'terminatingReplicas',
      'collisionCount',
    ],
    errors,
  )
  checkPartsOfReplicas(status, ['updatedReplicas', 'readyReplicas', 'availableReplicas'], errors)
  checkAvailableAreReady(status, errors)
  checkCollisions(status, old.status, errors)
  return errors
}
