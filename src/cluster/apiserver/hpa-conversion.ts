// HorizontalPodAutoscalers are kept as autoscaling/v2. The v1 shape has one number for CPU; what it cannot say goes into
// annotations, as in apis/autoscaling/v1/conversion.go.

import type { AnyObject } from '#objects'

interface Metric {
  readonly type: string
  readonly resource?: {
    readonly name: string
    readonly target?: { readonly type?: string; readonly averageUtilization?: number; readonly averageValue?: string }
    readonly current?: { readonly averageUtilization?: number }
  }
}

interface SpecV2 {
  readonly metrics?: readonly Metric[]
  readonly behavior?: unknown
  readonly [field: string]: unknown
}

interface StatusV2 {
  readonly currentMetrics?: readonly Metric[] | null
  readonly conditions?: readonly unknown[]
  readonly [field: string]: unknown
}

const prefix = 'autoscaling.alpha.kubernetes.io'
const names = {
  metrics: `${prefix}/metrics`,
  current: `${prefix}/current-metrics`,
  conditions: `${prefix}/conditions`,
  behavior: `${prefix}/behavior`,
}

const isCpuUtilization = ({ type, resource }: Metric): boolean =>
  type === 'Resource' && resource?.name === 'cpu' && resource.target?.averageUtilization !== undefined

const isCpuStatus = ({ type, resource }: Metric): boolean => type === 'Resource' && resource?.name === 'cpu'

export function convertHpaToV1(hpa: AnyObject): AnyObject {
  const { metrics = [], behavior, ...spec } = (hpa['spec'] ?? {}) as SpecV2
  const { currentMetrics, conditions, ...status } = (hpa['status'] ?? {}) as StatusV2
  const cpu = metrics.find(isCpuUtilization)
  const others = metrics.filter((metric) => metric !== cpu)
  const now = (currentMetrics ?? []).find(
    (metric) => isCpuStatus(metric) && metric.resource?.current?.averageUtilization !== undefined,
  )
  const otherNow = (currentMetrics ?? []).filter((metric) => metric !== now)
  const notes: Record<string, string> = {}
  if (others.length > 0) notes[names.metrics] = JSON.stringify(others)
  if (otherNow.length > 0) notes[names.current] = JSON.stringify(otherNow)
  if ((conditions?.length ?? 0) > 0) notes[names.conditions] = JSON.stringify(conditions)
  if (behavior !== undefined) notes[names.behavior] = JSON.stringify(behavior)
  const target = cpu?.resource?.target?.averageUtilization
  const current = now?.resource?.current?.averageUtilization
  return {
    ...hpa,
    apiVersion: 'autoscaling/v1',
    metadata:
      Object.keys(notes).length === 0
        ? hpa.metadata
        : { ...hpa.metadata, annotations: { ...hpa.metadata.annotations, ...notes } },
    spec: { ...spec, ...(target === undefined ? {} : { targetCPUUtilizationPercentage: target }) },
    status: {
      ...status,
      ...(current === undefined ? {} : { currentCPUUtilizationPercentage: current }),
    },
  }
}

export function convertHpaToV2(hpa: AnyObject): AnyObject {
  const { targetCPUUtilizationPercentage, ...spec } = (hpa['spec'] ?? {}) as Readonly<Record<string, unknown>>
  const { currentCPUUtilizationPercentage, ...status } = (hpa['status'] ?? {}) as Readonly<Record<string, unknown>>
  const { annotations = {} } = hpa.metadata
  const cpu: Metric | undefined =
    typeof targetCPUUtilizationPercentage === 'number'
      ? {
          type: 'Resource',
          resource: {
            name: 'cpu',
            target: { type: 'Utilization', averageUtilization: targetCPUUtilizationPercentage },
          },
        }
      : undefined
  const now: Metric | undefined =
    typeof currentCPUUtilizationPercentage === 'number'
      ? {
          type: 'Resource',
          resource: { name: 'cpu', current: { averageUtilization: currentCPUUtilizationPercentage } },
        }
      : undefined
  const metrics = [...parsed(annotations[names.metrics]), ...(cpu === undefined ? [] : [cpu])]
  const currentMetrics = [...parsed(annotations[names.current]), ...(now === undefined ? [] : [now])]
  const conditions = parsed(annotations[names.conditions])
  const behavior = annotations[names.behavior]
  return {
    ...hpa,
    apiVersion: 'autoscaling/v2',
    metadata: withoutNotes(hpa.metadata),
    spec: {
      ...spec,
      ...(metrics.length === 0 ? {} : { metrics }),
      ...(behavior === undefined ? {} : { behavior: JSON.parse(behavior) as unknown }),
    },
    status: {
      ...status,
      ...(currentMetrics.length === 0 ? {} : { currentMetrics }),
      ...(conditions.length === 0 ? {} : { conditions }),
    },
  }
}

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
