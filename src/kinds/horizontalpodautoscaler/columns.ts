// What `kubectl get hpa` shows: current and target value of the first metrics.

import type { AutoscalingV2HorizontalPodAutoscaler, MetricSpec, MetricStatus } from '../generated/types.ts'
import type { Column } from '../kind.ts'
import { ageColumn, nameColumn, text } from '../table/columns.ts'

type Autoscaler = AutoscalingV2HorizontalPodAutoscaler
type Values = { readonly value?: unknown; readonly averageValue?: unknown; readonly averageUtilization?: number }

const unknown = '<unknown>'
/** Without a status the value is unknown; a status or target that leaves it out has none. */
const quantity = (from: { readonly current: Values } | undefined, field: 'value' | 'averageValue'): string =>
  from === undefined ? unknown : String(from.current[field] ?? '<nil>')
const shown = (value: unknown): string => (value === undefined ? unknown : String(value))
const percent = (value: number | undefined, none = unknown): string => (value === undefined ? none : `${value}%`)

function targetText(spec: MetricSpec, status: MetricStatus | undefined): string {
  switch (spec.type) {
    case 'External':
    case 'Object': {
      const field = spec.type === 'External' ? 'external' : 'object'
      const target: Values = spec[field]?.target ?? {}
      const current: Values = status?.[field]?.current ?? {}
      return target.averageValue === undefined
        ? `${quantity(status?.[field], 'value')}/${target.value ?? '<nil>'}`
        : `${shown(current.averageValue)}/${shown(target.averageValue)} (avg)`
    }
    case 'Pods':
      return `${quantity(status?.pods, 'averageValue')}/${spec.pods?.target?.averageValue ?? '<nil>'}`
    case 'Resource':
    case 'ContainerResource': {
      const field = spec.type === 'Resource' ? 'resource' : 'containerResource'
      const target: Values = spec[field]?.target ?? {}
      const current: Values = status?.[field]?.current ?? {}
      const name = spec[field]?.name ?? ''
      return target.averageValue === undefined
        ? `${name}: ${percent(current.averageUtilization)}/${percent(target.averageUtilization, '<auto>')}`
        : `${name}: ${quantity(status?.[field], 'averageValue')}/${shown(target.averageValue)}`
    }
    default:
      return '<unknown type>'
  }
}

function targetsText({ spec, status }: Autoscaler): string {
  const metrics = spec?.metrics ?? []
  if (metrics.length === 0) return '<none>'
  const texts = metrics.map((metric, i) => targetText(metric, status?.currentMetrics?.[i]))
  const first = texts.slice(0, 2).join(', ')
  return texts.length > 2 ? `${first} + ${texts.length - 2} more...` : first
}

export const autoscalerColumns: readonly Column<Autoscaler>[] = [
  nameColumn,
  text(
    'Reference',
    'scaleTargetRef points to the target resource to scale, and is used to the pods for which metrics should be collected, as well as to actually change the replica count.',
    ({ spec }) => `${spec?.scaleTargetRef.kind ?? ''}/${spec?.scaleTargetRef.name ?? ''}`,
  ),
  text(
    'Targets',
    'metrics contains the specifications for which to use to calculate the desired replica count (the maximum replica count across all metrics will be used).  The desired replica count is calculated multiplying the ratio between the target value and the current value by the current number of pods.  Ergo, metrics used must decrease as the pod count is increased, and vice-versa.  See the individual metric source types for more information about how each type of metric must respond.',
    targetsText,
  ),
  text(
    'MinPods',
    'minReplicas is the lower limit for the number of replicas to which the autoscaler can scale down.  It defaults to 1 pod.  minReplicas is allowed to be 0 if the alpha feature gate HPAScaleToZero is enabled and at least one Object or External metric is configured.  Scaling is active as long as at least one metric value is available.',
    ({ spec }) => (spec?.minReplicas === undefined ? '<unset>' : String(spec.minReplicas)),
  ),
  text(
    'MaxPods',
    'maxReplicas is the upper limit for the number of replicas to which the autoscaler can scale up. It cannot be less that minReplicas.',
    ({ spec }) => spec?.maxReplicas ?? 0,
  ),
  text(
    'Replicas',
    'currentReplicas is current number of replicas of pods managed by this autoscaler, as last seen by the autoscaler.',
    ({ status }) => status?.currentReplicas ?? 0,
  ),
  ageColumn,
]
