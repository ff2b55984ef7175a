// HorizontalPodAutoscalers are kept as autoscaling/v2. The v1 shape has one number for CPU; what it cannot say goes into
// annotations, as in apis/autoscaling/v1/conversion.go.

import type { AnyObject } from '#objects'
import {
  type Behavior,
  behaviorFromText,
  behaviorText,
  type MetricV2,
  metricToV1,
  metricToV2,
  statusMetricToV1,
} from './hpa-metrics.ts'

interface SpecV2 {
  readonly metrics?: readonly MetricV2[]
  readonly behavior?: Behavior
  readonly [field: string]: unknown
}

interface StatusV2 {
  readonly currentMetrics?: readonly MetricV2[] | null
  readonly conditions?: readonly unknown[]
  readonly [field: string]: unknown
}

type Fields = Readonly<Record<string, unknown>>

const prefix = 'autoscaling.alpha.kubernetes.io'
const names = {
  metrics: `${prefix}/metrics`,
  current: `${prefix}/current-metrics`,
  conditions: `${prefix}/conditions`,
  behavior: `${prefix}/behavior`,
}

const isCpu = ({ type, resource }: MetricV2): boolean => type === 'Resource' && resource?.name === 'cpu'

export function convertHpaToV1(hpa: AnyObject): AnyObject {
  const { metrics = [], behavior, ...spec } = (hpa['spec'] ?? {}) as SpecV2
  const { currentMetrics, conditions, ...status } = (hpa['status'] ?? {}) as StatusV2
  const now = currentMetrics ?? []
  const cpu = metrics.find((metric) => isCpu(metric) && metric.resource?.target?.averageUtilization !== undefined)
  const cpuNow = now.find((metric) => isCpu(metric) && metric.resource?.current?.averageUtilization !== undefined)
  const [others, othersNow] = [metrics.filter((metric) => metric !== cpu), now.filter((metric) => metric !== cpuNow)]
  const notes: Record<string, string> = {
    ...(behavior === undefined ? {} : { [names.behavior]: behaviorText(behavior) }),
    ...(others.length === 0 ? {} : { [names.metrics]: JSON.stringify(others.map(metricToV1)) }),
    ...(othersNow.length === 0 ? {} : { [names.current]: JSON.stringify(othersNow.map(statusMetricToV1)) }),
    ...((conditions?.length ?? 0) === 0 ? {} : { [names.conditions]: JSON.stringify(conditions) }),
  }
  const [target, current] = [cpu?.resource?.target?.averageUtilization, cpuNow?.resource?.current?.averageUtilization]
  return {
    ...hpa,
    apiVersion: 'autoscaling/v1',
    metadata:
      Object.keys(notes).length === 0
        ? hpa.metadata
        : { ...hpa.metadata, annotations: { ...hpa.metadata.annotations, ...notes } },
    spec: { ...spec, ...(target === undefined ? {} : { targetCPUUtilizationPercentage: target }) },
    status: { ...status, ...(current === undefined ? {} : { currentCPUUtilizationPercentage: current }) },
  }
}

export function convertHpaToV2(hpa: AnyObject): AnyObject {
  const { targetCPUUtilizationPercentage: target, ...spec } = (hpa['spec'] ?? {}) as Fields
  const { currentCPUUtilizationPercentage: current, ...status } = (hpa['status'] ?? {}) as Fields
  const { annotations = {} } = hpa.metadata
  const metrics = [
    ...(parsed(annotations[names.metrics]) as readonly Fields[]).map(metricToV2),
    ...(typeof target === 'number' ? [cpuMetric({ target: { type: 'Utilization', averageUtilization: target } })] : []),
  ]
  const currentMetrics = [
    ...(typeof current === 'number' ? [cpuMetric({ current: { averageUtilization: current } })] : []),
  ]
  const conditions = parsed(annotations[names.conditions])
  const behavior = behaviorFromText(annotations[names.behavior])
  return {
    ...hpa,
    apiVersion: 'autoscaling/v2',
    metadata: withoutNotes(hpa.metadata),
    spec: {
      ...spec,
      ...(metrics.length === 0 ? {} : { metrics }),
      ...(behavior === undefined ? {} : { behavior }),
    },
    status: {
      ...status,
      ...(currentMetrics.length === 0 ? {} : { currentMetrics }),
      ...(conditions.length === 0 ? {} : { conditions }),
    },
  }
}

const cpuMetric = (values: Fields): MetricV2 => ({ type: 'Resource', resource: { name: 'cpu', ...values } })

function parsed(text: string | undefined): readonly unknown[] {
  if (text === undefined) return []
  try {
    const value: unknown = JSON.parse(text)
    return Array.isArray(value) ? value : []
  } catch {
    return []
  }
}

function withoutNotes(metadata: AnyObject['metadata']): AnyObject['metadata'] {
  const { annotations } = metadata
  if (annotations === undefined || !Object.values(names).some((name) => name in annotations)) return metadata
  const left = Object.entries(annotations).filter(([name]) => !(Object.values(names) as string[]).includes(name))
  const { annotations: _annotations, ...rest } = metadata
  return left.length === 0 ? rest : { ...rest, annotations: Object.fromEntries(left) }
}
