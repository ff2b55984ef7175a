// The kind MetricSeries: figures that no container has, as a metrics adapter of a real cluster would tell them. They are
// served as custom.metrics.k8s.io and external.metrics.k8s.io, and autoscalers follow them.

import type { JsonObject, KubeObject, LabelSelector, QuantityText } from '#objects'
import type { Kind } from '../kind.ts'
import {
  flag,
  labDefinition,
  labelSelector,
  labGroup,
  labVersion,
  list,
  object,
  quantity,
  seconds,
  text,
  textMap,
} from '../lab/schema-words.ts'

export interface SeriesPoint {
  readonly fromSeconds?: number
  readonly value: QuantityText
  readonly ramp?: boolean
}

export interface MetricSeriesSpec {
  readonly description?: string
  readonly metric: string
  readonly labels?: Readonly<Record<string, string>>
  readonly namespace?: string
  readonly pods?: LabelSelector
  readonly shared?: boolean
  readonly object?: { readonly apiVersion?: string; readonly kind: string; readonly name: string }
  readonly values: readonly SeriesPoint[]
}

export interface MetricSeries extends KubeObject {
  readonly spec: MetricSeriesSpec
}

export const MetricSeries: Kind<MetricSeries> = {
  group: labGroup,
  version: labVersion,
  kind: 'MetricSeries',
  resource: 'metricseries',
  namespaced: false,
}

const spec: JsonObject = {
  ...object(
    {
      description: text('What it is for, in a sentence.'),
      metric: text('Name of the metric, as autoscalers name it.'),
      labels: textMap("Labels of the series: what an autoscaler's selector of the metric is matched with."),
      namespace: text('Where the metric is seen; without it in all namespaces.'),
      pods: labelSelector('Each of these pods has the value (metrics of type Pods). An empty selector selects all.'),
      shared: flag('The value is that of all of these pods together: those that run have equal shares of it.'),
      object: object(
        {
          apiVersion: text('Its group and version; default v1.'),
          kind: text('Its kind.'),
          name: text('Its name.'),
        },
        'This object has the value (metrics of type Object). Without pods and object the metric is external.',
        ['kind', 'name'],
      ),
      values: list(
        object(
          {
            fromSeconds: seconds('Since when, in seconds of world time after this object was created; default 0.'),
            value: quantity('The value, such as 250m or 12.'),
            ramp: flag('The value is reached in a straight line from the point before.'),
          },
          'A point of the curve.',
          ['value'],
        ),
        'The curve, in order of time. Before its first point the metric has no value.',
      ),
    },
    'What is measured, and how much it is.',
    ['metric', 'values'],
  ),
  'x-kubernetes-validations': [
    { rule: '!(has(self.pods) && has(self.object))', message: 'give pods or object, not both' },
    { rule: '!has(self.shared) || has(self.pods)', message: 'shared belongs to pods' },
  ],
}

export const metricSeriesDefinition = labDefinition({
  kind: 'MetricSeries',
  plural: 'metricseries',
  shortNames: [],
  description:
    'MetricSeries is a metric over time that no container has: requests that an ingress counts, messages that wait in a queue. It is served by custom.metrics.k8s.io (pods and objects) or external.metrics.k8s.io, which exist as long as there is such a series.',
  spec,
  status: object({}, 'Nothing.'),
  columns: [
    { name: 'Metric', type: 'string', jsonPath: '.spec.metric' },
    { name: 'Namespace', type: 'string', jsonPath: '.spec.namespace' },
  ],
})
