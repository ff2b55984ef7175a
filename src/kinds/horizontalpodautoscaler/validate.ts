// Faults of HorizontalPodAutoscalers, in the form of autoscaling/v2, in which both versions are stored.

import { compareQuantity, formatQuantity, parseQuantity } from '#objects'
import { type FieldError, forbidden, invalid, notSupported, required } from '../field-error.ts'
import type {
  AutoscalingV2HorizontalPodAutoscaler,
  HPAScalingRules,
  MetricIdentifier,
  MetricSpec,
  MetricTarget,
} from '../generated/types.ts'
import { dnsLabel, pathSegment } from '../metadata/formats.ts'
import { checkContainerResourceName } from '../quantity/resources.ts'
import { checkNonNegative } from '../workload/selector.ts'

type Autoscaler = AutoscalingV2HorizontalPodAutoscaler

export function validateAutoscaler({ spec }: Autoscaler, old?: Autoscaler): readonly FieldError[] {
  const errors: FieldError[] = []
  // Zero replicas are behind a gate that is off, and may stay.
  const fewest = old?.spec?.minReplicas === 0 ? 0 : 1
  const { minReplicas, maxReplicas = 0, scaleTargetRef, metrics = [], behavior } = spec ?? {}
  if (minReplicas !== undefined && minReplicas < fewest)
    errors.push(invalid('spec.minReplicas', minReplicas, `must be greater than or equal to ${fewest}`))
  if (maxReplicas < 1) errors.push(invalid('spec.maxReplicas', maxReplicas, 'must be greater than 0'))
  if (minReplicas !== undefined && maxReplicas < minReplicas)
    errors.push(invalid('spec.maxReplicas', maxReplicas, 'must be greater than or equal to `minReplicas`'))
  checkReference(scaleTargetRef ?? {}, 'spec.scaleTargetRef', errors)
  checkTargetVersion(scaleTargetRef ?? {}, old?.spec?.scaleTargetRef, errors)
  const mayBeUnreadable = (old?.spec?.metrics ?? []).some((metric) => !isReadable(describedVersion(metric)))
  metrics.forEach((metric, i) => {
    checkMetric(metric, { path: `spec.metrics[${i}]`, mayBeUnreadable, errors })
  })
  if (minReplicas === 0 && !metrics.some(({ type }) => type === 'Object' || type === 'External'))
    errors.push(
      forbidden(
        'spec.metrics',
        'must specify at least one Object or External metric to support scaling to zero replicas',
      ),
    )
  if (behavior?.scaleUp !== undefined) checkScaling(behavior.scaleUp, 'spec.behavior.scaleUp', errors)
  if (behavior?.scaleDown !== undefined) checkScaling(behavior.scaleDown, 'spec.behavior.scaleDown', errors)
  return errors
}

interface Reference {
  readonly apiVersion?: string
  readonly kind?: string
  readonly name?: string
}

function checkReference(reference: Reference, path: string, errors: FieldError[]): void {
  for (const field of ['kind', 'name'] as const) {
    const value = reference[field]
    if (!value) errors.push(required(`${path}.${field}`))
    else for (const text of pathSegment(value)) errors.push(invalid(`${path}.${field}`, value, text))
  }
}

const isReadable = (apiVersion: string): boolean => apiVersion.split('/').length <= 2

const describedVersion = ({ object }: MetricSpec): string => object?.describedObject?.apiVersion ?? ''

const unreadable = (path: string, apiVersion: string): FieldError =>
  invalid(`${path}.apiVersion`, apiVersion, `unexpected GroupVersion string: ${apiVersion}`)

/** Of what the core group has, only ReplicationControllers can be scaled. What is stored already is not asked again. */
function checkTargetVersion(target: Reference, before: Reference | undefined, errors: FieldError[]): void {
  const { apiVersion = '', kind } = target
  const path = 'spec.scaleTargetRef'
  if (before !== undefined && apiVersion === (before.apiVersion ?? '') && kind === before.kind) return
  if (!isReadable(apiVersion)) errors.push(unreadable(path, apiVersion))
  else if (kind !== 'ReplicationController' && apiVersion.indexOf('/') < 1)
    errors.push(invalid(`${path}.apiVersion`, apiVersion, 'apiVersion must specify API group'))
}

const sources = {
  Object: 'object',
  External: 'external',
  Pods: 'pods',
  Resource: 'resource',
  ContainerResource: 'containerResource',
} as const
const sourceTypes: readonly string[] = ['ContainerResource', 'External', 'Object', 'Pods', 'Resource']

function checkMetric(metric: MetricSpec, target: Target): void {
  const { path, errors } = target
  const type: string = metric.type ?? ''
  if (type === '') errors.push(required(`${path}.type`, 'must specify a metric source type'))
  if (!sourceTypes.includes(type)) errors.push(notSupported(`${path}.type`, type, sourceTypes))
  const present = Object.values(sources).filter((field) => metric[field] !== undefined)
  if (present[0] !== undefined) checkSource(metric, present[0], { ...target, path: `${path}.${present[0]}` })
  const expected = sources[type as keyof typeof sources]
  if (expected !== undefined && metric[expected] === undefined)
    errors.push(required(`${path}.${expected}`, 'must populate information for the given metric source'))
  // Said twice, as Kubernetes does.
  if (expected === undefined) errors.push(notSupported(`${path}.type`, type, sourceTypes))
  if (present.length !== 1)
    for (const field of present.filter((other) => other !== expected))
      errors.push(forbidden(`${path}.${field}`, 'must populate the given metric source only'))
}

interface Target {
  readonly path: string
  /** Whether versions of described objects may stay that nobody can read. */
  readonly mayBeUnreadable: boolean
  readonly errors: FieldError[]
}

function checkSource(
  metric: MetricSpec,
  field: (typeof sources)[keyof typeof sources],
  { path, mayBeUnreadable, errors }: Target,
): void {
  const target = metric[field]?.target ?? ({} as MetricTarget)
  const at = `${path}.target`
  switch (field) {
    case 'object':
      checkReference(metric.object?.describedObject ?? {}, `${path}.describedObject`, errors)
      if (!mayBeUnreadable && !isReadable(describedVersion(metric)))
        errors.push(unreadable(`${path}.describedObject`, describedVersion(metric)))
      checkIdentifier(metric.object?.metric, `${path}.metric`, errors)
      checkTarget(target, at, errors)
      if (target.value === undefined && target.averageValue === undefined)
        errors.push(required(`${at}.averageValue`, 'must set either a target value or averageValue'))
      return
    case 'external':
      checkIdentifier(metric.external?.metric, `${path}.metric`, errors)
      checkTarget(target, at, errors)
      if (target.value === undefined && target.averageValue === undefined)
        errors.push(required(`${at}.averageValue`, 'must set either a target value for metric or a per-pod target'))
      if (target.value !== undefined && target.averageValue !== undefined)
        errors.push(forbidden(`${at}.value`, 'may not set both a target value for metric and a per-pod target'))
      return
    case 'pods':
      checkIdentifier(metric.pods?.metric, `${path}.metric`, errors)
      checkTarget(target, at, errors)
      if (target.averageValue === undefined)
        errors.push(required(`${at}.averageValue`, 'must specify a positive target averageValue'))
      return
    case 'containerResource':
      checkContainerSource(metric.containerResource ?? {}, path, errors)
      checkResourceTarget(target, at, errors)
      return
    case 'resource':
      if (!metric.resource?.name) errors.push(required(`${path}.name`, 'must specify a resource name'))
      checkResourceTarget(target, at, errors)
  }
}

function checkContainerSource(
  { name, container }: { readonly name?: string; readonly container?: string },
  path: string,
  errors: FieldError[],
): void {
  if (!name) errors.push(required(`${path}.name`, 'must specify a resource name'))
  else checkContainerResourceName(name, `${path}.name`, errors)
  if (!container) errors.push(required(`${path}.container`, 'must specify a container'))
  else for (const text of dnsLabel(container)) errors.push(invalid(`${path}.container`, container, text))
}

function checkResourceTarget(target: MetricTarget, path: string, errors: FieldError[]): void {
  checkTarget(target, path, errors)
  if (target.averageUtilization === undefined && target.averageValue === undefined)
    errors.push(required(`${path}.averageUtilization`, 'must set either a target raw value or a target utilization'))
  if (target.averageUtilization !== undefined && target.averageValue !== undefined)
    errors.push(forbidden(`${path}.averageValue`, 'may not set both a target raw value and a target utilization'))
}

function checkIdentifier(metric: MetricIdentifier | undefined, path: string, errors: FieldError[]): void {
  const name = metric?.name ?? ''
  if (name === '') errors.push(required(`${path}.name`, 'must specify a metric name'))
  else for (const text of pathSegment(name)) errors.push(invalid(`${path}.name`, name, text))
}

const targetTypes: readonly string[] = ['Utilization', 'Value', 'AverageValue']

function checkTarget(target: MetricTarget, path: string, errors: FieldError[]): void {
  const type: string = target.type ?? ''
  if (type === '') errors.push(required(`${path}.type`, 'must specify a metric target type'))
  if (!targetTypes.includes(type))
    errors.push(invalid(`${path}.type`, type, 'must be either Utilization, Value, or AverageValue'))
  for (const field of ['value', 'averageValue'] as const) {
    const amount = target[field]
    if (amount !== undefined && compareQuantity(amount, '0') <= 0)
      errors.push(invalid(`${path}.${field}`, formatQuantity(parseQuantity(amount)), 'must be positive'))
  }
  const { averageUtilization } = target
  if (averageUtilization !== undefined && averageUtilization < 1)
    errors.push(invalid(`${path}.averageUtilization`, averageUtilization, 'must be greater than 0'))
}

const selectPolicies: readonly string[] = ['Disabled', 'Max', 'Min']
const policyTypes: readonly string[] = ['Percent', 'Pods']
const maxPeriodSeconds = 1800
const maxStabilizationSeconds = 3600

function checkScaling(rules: HPAScalingRules, path: string, errors: FieldError[]): void {
  const { stabilizationWindowSeconds: window, selectPolicy, policies = [] } = rules
  if (window !== undefined && window < 0)
    errors.push(invalid(`${path}.stabilizationWindowSeconds`, window, 'must be greater than or equal to zero'))
  if (window !== undefined && window > maxStabilizationSeconds)
    errors.push(
      invalid(`${path}.stabilizationWindowSeconds`, window, `must be less than or equal to ${maxStabilizationSeconds}`),
    )
  if (selectPolicy !== undefined && !selectPolicies.includes(selectPolicy))
    errors.push(notSupported(`${path}.selectPolicy`, selectPolicy, selectPolicies))
  if (policies.length === 0) errors.push(required(`${path}.policies`, 'must specify at least one Policy'))
  policies.forEach(({ type, value = 0, periodSeconds = 0 }, i) => {
    const at = `${path}.policies[${i}]`
    if (!policyTypes.includes(type)) errors.push(notSupported(`${at}.type`, type ?? '', policyTypes))
    if (value <= 0) errors.push(invalid(`${at}.value`, value, 'must be greater than zero'))
    if (periodSeconds <= 0) errors.push(invalid(`${at}.periodSeconds`, periodSeconds, 'must be greater than zero'))
    if (periodSeconds > maxPeriodSeconds)
      errors.push(invalid(`${at}.periodSeconds`, periodSeconds, `must be less than or equal to ${maxPeriodSeconds}`))
  })
}

export function validateAutoscalerStatus({ status }: Autoscaler): readonly FieldError[] {
  const errors: FieldError[] = []
  checkNonNegative(status?.currentReplicas, 'status.currentReplicas', errors)
  checkNonNegative(status?.desiredReplicas, 'status.desiredReplicas', errors)
  return errors
}
