// What an autoscaler decides from: the scale, its pods and what the metrics APIs answered; and what one metric makes of it.

import type { MetricSpec, MetricStatus, Pod } from '#kinds'

/** Usage of the pods' containers in thousandths, as the metrics API answered, or why it did not. */
export type Samples = readonly PodUsage[] | { readonly error: string }

export interface PodUsage {
  readonly pod: string
  readonly at: number
  readonly windowMs: number
  readonly containers: readonly { readonly name: string; readonly usage: Readonly<Record<string, number>> }[]
}

/** The values of one metric in thousandths, or why there are none. */
export type Reading = { readonly error: string } | { readonly values: readonly MetricSample[] }

export interface MetricSample {
  /** Name of the object that the value is about, where there is one. */
  readonly object: string
  readonly value: number
  readonly at: number
  readonly windowMs: number
}

export interface Situation {
  readonly namespace: string
  /** As wanted (spec of the scale), and as there are (status of the scale). */
  readonly replicas: number
  readonly running: number
  readonly pods: readonly Pod[]
  readonly samples: Samples
  /** Of the metrics that are no resources. */
  readonly readings: ReadonlyMap<MetricSpec, Reading>
  readonly now: number
}

export interface Success {
  readonly replicas: number
  /** How the metric is called in reasons. */
  readonly name: string
  readonly status: MetricStatus
}

export interface Failure {
  readonly reason: string
  readonly message: string
  /** What the autoscaler was about when it failed. */
  readonly context: string
}
