// What a HorizontalPodAutoscaler does with the size of its target. There is no metrics API in the cluster, so a size within
// the limits stays as it is and the conditions say why. Pure; texts are Kubernetes' own.

import type { HorizontalPodAutoscaler, MetricSpec } from '#kinds'
import { formatTime, isEqual } from '#objects'
import { goSelector } from '../go-text.ts'

type Status = NonNullable<HorizontalPodAutoscaler['status']>
type Condition = NonNullable<Status['conditions']>[number]

export interface Observed {
  readonly scaler: HorizontalPodAutoscaler
  /** The target's spec.replicas, or why it could not be read. */
  readonly target: { readonly replicas: number } | { readonly error: string }
  readonly now: number
}

export interface Decision {
  readonly status: Status
  /** New size of the target. */
  readonly resize?: { readonly replicas: number; readonly reason: string }
  readonly events: readonly { readonly reason: string; readonly message: string }[]
}

interface Text {
  readonly type: string
  readonly status: 'True' | 'False'
  readonly reason: string
  readonly message: string
}

const able = (status: Text['status'], reason: string, message: string): Text => ({
  type: 'AbleToScale',
  status,
  reason,
  message,
})
const active = (status: Text['status'], reason: string, message: string): Text => ({
  type: 'ScalingActive',
  status,
  reason,
  message,
})

const gotScale = able('True', 'SucceededGetScale', "the HPA controller was able to get the target's current scale")
const disabled = active('False', 'ScalingDisabled', 'scaling is disabled since the replica count of the target is zero')

export function decideScaler({ scaler, target, now }: Observed): Decision {
  if ('error' in target) {
    const message = `the HPA controller was unable to get the target's current scale: ${target.error}`
    const status = withConditions(scaler, {}, [able('False', 'FailedGetScale', message)], now)
    return { status, events: [{ reason: 'FailedGetScale', message: target.error }] }
  }
  const { replicas } = target
  const { minReplicas = 1, maxReplicas } = scaler.spec ?? { maxReplicas: 0 }
  if (replicas === 0 && minReplicas !== 0)
    return { status: withConditions(scaler, { desiredReplicas: 0 }, [gotScale, disabled], now), events: [] }
  if (replicas > maxReplicas)
    return resized(scaler, {
      from: replicas,
      to: maxReplicas,
      reason: 'Current number of replicas above Spec.MaxReplicas',
      now,
    })
  if (replicas < minReplicas)
    return resized(scaler, {
      from: replicas,
      to: minReplicas,
      reason: 'Current number of replicas below Spec.MinReplicas',
      now,
    })
  return withoutMetrics(scaler, replicas, now)
}

interface Resizing {
  readonly from: number
  readonly to: number
  readonly reason: string
  readonly now: number
}

function resized(scaler: HorizontalPodAutoscaler, { from, to, reason, now }: Resizing): Decision {
  const rescaled = able('True', 'SucceededRescale', `the HPA controller was able to update the target scale to ${to}`)
  const counts = { currentReplicas: from, desiredReplicas: to, lastScaleTime: formatTime(now) }
  return {
    status: withConditions(scaler, counts, [rescaled], now),
    resize: { replicas: to, reason },
    events: [{ reason: 'SuccessfulRescale', message: `New size: ${to}; reason: ${reason}` }],
  }
}

function withoutMetrics(scaler: HorizontalPodAutoscaler, replicas: number, now: number): Decision {
  const metrics = scaler.spec?.metrics ?? []
  const failures = metrics.map((metric) => failureOf(metric, scaler.metadata.namespace ?? ''))
  const [first] = failures
  if (first === undefined)
    return { status: withConditions(scaler, { currentReplicas: replicas }, [gotScale], now), events: [] }
  const message = `the HPA was unable to compute the replica count: ${first.message}`
  // Metrics without a value are listed all the same, as empty entries.
  const currentMetrics = metrics.map(() => ({ type: '' }))
  const status = withConditions(
    scaler,
    { currentReplicas: replicas, currentMetrics },
    [gotScale, active('False', first.reason, message)],
    now,
  )
  const invalid = `invalid metrics (${failures.length} invalid out of ${metrics.length}), first error is: ${first.context}: ${first.message}`
  const events = failures.map(({ reason, message: text }) => ({ reason, message: text }))
  return { status, events: [...events, { reason: 'FailedComputeMetricsReplicas', message: invalid }] }
}

interface MetricFailure {
  readonly reason: string
  readonly message: string
  /** What the autoscaler was about when it failed. */
  readonly context: string
}

function failureOf(metric: MetricSpec, namespace: string): MetricFailure {
  const noCustom =
    'unable to fetch metrics from custom metrics API: no custom metrics API (custom.metrics.k8s.io) registered'
  switch (metric.type) {
    case 'Resource':
      return resourceFailure(metric.resource, { reason: 'FailedGetResourceMetric', kind: 'resource' })
    case 'ContainerResource':
      return resourceFailure(metric.containerResource, {
        reason: 'FailedGetContainerResourceMetric',
        kind: 'container',
      })
    case 'Pods': {
      const message = `unable to get metric ${metric.pods?.metric.name}: ${noCustom}`
      return { reason: 'FailedGetPodsMetric', message, context: 'failed to get pods metric value' }
    }
    case 'Object': {
      const { describedObject, metric: of } = metric.object ?? {}
      const message = `unable to get metric ${of?.name}: ${describedObject?.kind} on ${namespace} ${describedObject?.name}/${noCustom}`
      return { reason: 'FailedGetObjectMetric', message, context: 'failed to get object metric value' }
    }
    default: {
      const { name = '', selector } = metric.external?.metric ?? {}
      const message =
        `unable to get external metric ${namespace}/${name}/${goSelector(selector)}: unable to fetch metrics from external metrics API: ` +
        `the server could not find the requested resource (get ${name}.external.metrics.k8s.io)`
      return { reason: 'FailedGetExternalMetric', message, context: 'failed to get external metric value' }
    }
  }
}

type ResourceSource = MetricSpec['resource'] | MetricSpec['containerResource']

function resourceFailure(
  source: ResourceSource,
  of: { readonly reason: string; readonly kind: string },
): MetricFailure {
  const { name = '', target } = source ?? {}
  const what = target?.type === 'Utilization' ? 'utilization' : 'usage'
  const message =
    `failed to get ${name} ${what}: unable to get metrics for resource ${name}: unable to fetch metrics from resource metrics API: ` +
    'the server could not find the requested resource (get pods.metrics.k8s.io)'
  return { reason: of.reason, message, context: `failed to get ${name} ${of.kind} metric value` }
}

function withConditions(
  scaler: HorizontalPodAutoscaler,
  counts: Partial<Status>,
  texts: readonly Text[],
  now: number,
): Status {
  const old = scaler.status?.conditions ?? []
  const set = texts.map((text): Condition => {
    const before = old.find(({ type }) => type === text.type)
    const since = before?.status === text.status ? before.lastTransitionTime : undefined
    return { ...text, lastTransitionTime: since ?? formatTime(now) }
  })
  const conditions = [...set, ...old.filter(({ type }) => !texts.some((text) => text.type === type))]
  const { lastScaleTime, desiredReplicas = 0, currentReplicas } = scaler.status ?? {}
  const status: Status = {
    ...(currentReplicas === undefined ? {} : { currentReplicas }),
    desiredReplicas,
    // Kubernetes writes the list even when there is none.
    currentMetrics: null as unknown as NonNullable<Status['currentMetrics']>,
    ...(lastScaleTime === undefined ? {} : { lastScaleTime }),
    ...counts,
    conditions,
  }
  return isEqual(status, scaler.status) ? (scaler.status ?? status) : status
}
