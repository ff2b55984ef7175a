// The values of MetricSeries at this moment, in the form of custom.metrics.k8s.io and external.metrics.k8s.io. Pure.

import type { MetricSeries, Pod, SeriesPoint } from '#kinds'
import {
  formatTime,
  matchesLabels,
  matchesSelector,
  milliQuantity,
  parseTime,
  quantityMilliValue,
  type Selector,
} from '#objects'

export const customApi = { group: 'custom.metrics.k8s.io', version: 'v1beta2' } as const
export const externalApi = { group: 'external.metrics.k8s.io', version: 'v1beta1' } as const

export type SeriesRole = 'pods' | 'object' | 'external'

export const roleOf = ({ spec }: MetricSeries): SeriesRole =>
  spec.pods !== undefined ? 'pods' : spec.object !== undefined ? 'object' : 'external'

/** Which series a request is about. */
export interface Query {
  readonly metric: string
  readonly namespace: string
  /** Of the labels of the series. */
  readonly selector: Selector
}

export const isAskedFor = ({ spec }: MetricSeries, { metric, namespace, selector }: Query): boolean =>
  spec.metric === metric &&
  (spec.namespace === undefined || spec.namespace === namespace) &&
  matchesSelector(selector, spec.labels)

/** In thousandths; undefined before the first point. */
export function valueAt({ metadata, spec }: MetricSeries, now: number): number | undefined {
  const seconds = (now - (parseTime(metadata.creationTimestamp) ?? 0)) / 1000
  let before: { readonly at: number; readonly value: number } | undefined
  for (const point of spec.values) {
    const at = point.fromSeconds ?? 0
    const value = quantityMilliValue(point.value)
    if (at > seconds) return before === undefined ? undefined : between(before, { at, value, point }, seconds)
    before = { at, value }
  }
  return before?.value
}

function between(
  before: { readonly at: number; readonly value: number },
  { at, value, point }: { readonly at: number; readonly value: number; readonly point: SeriesPoint },
  seconds: number,
): number {
  if (point.ramp !== true) return before.value
  return Math.round(before.value + ((value - before.value) * (seconds - before.at)) / (at - before.at))
}

interface Reference {
  readonly kind: string
  readonly namespace?: string
  readonly name: string
  readonly apiVersion: string
}

const metricValue = (describedObject: Reference, name: string, milli: number, now: number): object => ({
  describedObject,
  metric: { name, selector: null },
  timestamp: formatTime(now),
  value: milliQuantity(milli),
})

/** One value for each of the pods that runs and that a series is about. */
export function podValues(series: readonly MetricSeries[], pods: readonly Pod[], now: number): readonly object[] {
  return series.flatMap((one) => {
    const value = valueAt(one, now)
    const selector = one.spec.pods
    if (value === undefined || selector === undefined) return []
    const meant = pods.filter(
      ({ metadata, status }) => status?.phase === 'Running' && matchesLabels(selector, metadata.labels ?? {}),
    )
    const share = one.spec.shared === true ? Math.round(value / Math.max(1, meant.length)) : value
    return meant.map(({ metadata: { namespace = '', name = '' } }) =>
      metricValue({ kind: 'Pod', namespace, name, apiVersion: 'v1' }, one.spec.metric, share, now),
    )
  })
}

export function objectValues(series: readonly MetricSeries[], namespace: string, now: number): readonly object[] {
  return series.flatMap((one) => {
    const { metric, object } = one.spec
    const value = valueAt(one, now)
    if (value === undefined || object === undefined) return []
    const { apiVersion = 'v1', kind, name } = object
    const place = kind === 'Namespace' ? {} : { namespace }
    return [metricValue({ kind, ...place, name, apiVersion }, metric, value, now)]
  })
}

export function externalValues(series: readonly MetricSeries[], now: number): readonly object[] {
  return series.flatMap((one) => {
    const value = valueAt(one, now)
    const { metric, labels = {} } = one.spec
    if (value === undefined) return []
    return [{ metricName: metric, metricLabels: labels, timestamp: formatTime(now), value: milliQuantity(value) }]
  })
}
