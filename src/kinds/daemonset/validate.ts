// Faults of DaemonSets.

import { isEqual } from '#objects'
import { type FieldError, invalid, notSupported, required } from '../field-error.ts'
import type { DaemonSet, DaemonSetSpec, RollingUpdateDaemonSet } from '../generated/types.ts'
import { asGoStruct, goMap, goStruct } from '../go-struct.ts'
import { checkTemplate } from '../podspec/validate.ts'
import { checkSelector, isEmptySelector, printableSelector } from '../selector/validate.ts'
import {
  checkAtMostAll,
  checkCountOrPercent,
  checkImmutableSelector,
  checkNonNegative,
  checkRestartAlways,
  isUnusable,
  isZero,
  selects,
} from '../workload/selector.ts'
import { checkCollisions, checkCounts } from '../workload/status.ts'
import { checkNoDeadline } from '../workload/template.ts'

export function validateDaemonSet({ spec }: DaemonSet): readonly FieldError[] {
  const errors: FieldError[] = []
  const { selector, template } = spec
  checkSelector(selector ?? undefined, 'spec.selector', errors)
  const isEmpty = selector != null && isEmptySelector(selector)
  if (!isUnusable(selector) && !isEmpty && !selects(selector, template))
    errors.push(
      invalid(
        'spec.template.metadata.labels',
        goMap(template.metadata?.labels),
        '`selector` does not match template `labels`',
      ),
    )
  if (isEmpty)
    errors.push(invalid('spec.selector', printableSelector(selector), 'empty selector is invalid for daemonset'))
  checkTemplate(template, 'spec.template', errors)
  checkRestartAlways(template, 'spec.template', errors)
  checkNoDeadline(template, 'DaemonSet', errors)
  checkNonNegative(spec.minReadySeconds, 'spec.minReadySeconds', errors)
  checkStrategy(spec, errors)
  checkNonNegative(spec.revisionHistoryLimit, 'spec.revisionHistoryLimit', errors)
  return errors
}

const internalStrategy = goStruct('Type="" RollingUpdate', { RollingUpdate: goStruct('MaxUnavailable=0 MaxSurge=0') })

function checkStrategy(spec: DaemonSetSpec, errors: FieldError[]): void {
  const path = 'spec.updateStrategy'
  const strategy = spec.updateStrategy ?? {}
  const type: string = strategy.type ?? ''
  if (type === 'OnDelete') return
  if (type !== 'RollingUpdate')
    errors.push(notSupported(path, asGoStruct(internalStrategy, strategy), ['RollingUpdate', 'OnDelete']))
  else if (strategy.rollingUpdate === undefined) errors.push(required(`${path}.rollingUpdate`))
  else checkRolling(strategy.rollingUpdate, `${path}.rollingUpdate`, errors)
}

function checkRolling({ maxUnavailable, maxSurge }: RollingUpdateDaemonSet, path: string, errors: FieldError[]): void {
  checkCountOrPercent(maxUnavailable, `${path}.maxUnavailable`, errors)
  checkCountOrPercent(maxSurge, `${path}.maxSurge`, errors)
  checkAtMostAll(maxUnavailable, `${path}.maxUnavailable`, errors)
  checkAtMostAll(maxSurge, `${path}.maxSurge`, errors)
  if (isZero(maxUnavailable) && isZero(maxSurge))
    errors.push(required(`${path}.maxUnavailable`, 'cannot be 0 when maxSurge is 0'))
  else if (!isZero(maxUnavailable) && !isZero(maxSurge))
    errors.push(invalid(`${path}.maxSurge`, maxSurge, 'may not be set when maxUnavailable is non-zero'))
}

export function validateDaemonSetUpdate(set: DaemonSet, old: DaemonSet): readonly FieldError[] {
  const errors: FieldError[] = []
  checkImmutableSelector(set.spec.selector, isEqual(set.spec.selector, old.spec.selector), errors)
  return [...errors, ...validateDaemonSet(set)]
}

export function validateDaemonSetStatus({ status }: DaemonSet, old: DaemonSet): readonly FieldError[] {
  const errors: FieldError[] = []
  checkCounts(
    status ?? {},
    [
      'currentNumberScheduled',
      'numberMisscheduled',
      'desiredNumberScheduled',
      'numberReady',
      'observedGeneration',
      'updatedNumberScheduled',
      'numberAvailable',
      'numberUnavailable',
      'collisionCount',
    ],
    errors,
  )
  checkCollisions(status, old.status, errors)
  return errors
}
