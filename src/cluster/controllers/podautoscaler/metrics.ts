// What each metric of an autoscaler proposes, or why it cannot. Here: resources of pods and containers, by what the metrics
// API says that they take. Pure; texts are Kubernetes' own.

import type { MetricSpec, MetricStatus, MetricTarget } from '#kinds'
import { milliQuantity, quantityMilliValue, wholeQuantity } from '#objects'
import { externalMetric, objectMetric, podsMetric } from './custom-metrics.ts'
import {
  CannotCalculate,
  type PodMetric,
  type PodMetrics,
  type Proposal,
  type Question,
  replicasForAverage,
  replicasForUtilization,
} from './replicas.ts'
import type { Failure, Situation, Success } from './situation.ts'

export function evaluate(metric: MetricSpec, situation: Situation): Success | Failure {
  const { type, resource, containerResource, pods, object, external } = metric
  if (type === 'Resource' && resource !== undefined) return resourceMetric(resource, situation)
  if (type === 'ContainerResource' && containerResource !== undefined)
    return resourceMetric(containerResource, situation)
  if (type === 'Pods' && pods !== undefined) return podsMetric(metric, pods, situation)
  if (type === 'Object' && object !== undefined) return objectMetric(metric, object, situation)
  if (type === 'External' && external !== undefined) return externalMetric(metric, external, situation)
  const message = `unknown metric source type "${type}"`
  return { reason: 'InvalidMetricSourceType', message, context: message }
}

interface Source {
  readonly name: string
  readonly target: MetricTarget
  readonly container?: string
}

function resourceMetric(source: Source, situation: Situation): Success | Failure {
  const { name, target, container } = source
  try {
    if (target.averageValue !== undefined) {
      const of = { what: 'usage', source, situation }
      const proposal = calculated(of, (question) =>
        replicasForAverage(question, quantityMilliValue(target.averageValue ?? 0)),
      )
      return success(source, proposal, `${name} resource`)
    }
    const percent = target.averageUtilization
    if (percent === undefined)
      throw new CannotCalculate(
        'invalid resource metric source: neither an average utilization target nor an average value (usage) target was set',
      )
    const of = { what: 'utilization', source, situation }
    const proposal = calculated(of, (question) => replicasForUtilization(question, percent))
    const kind = container === undefined ? 'resource' : 'container resource'
    return success(source, proposal, `${name} ${kind} utilization (percentage of request)`)
  } catch (error) {
    if (!(error instanceof CannotCalculate)) throw error
    const { message } = error
    return container === undefined
      ? { reason: 'FailedGetResourceMetric', message, context: `failed to get ${name} resource metric value` }
      : {
          reason: 'FailedGetContainerResourceMetric',
          message,
          context: `failed to get ${container} container metric value`,
        }
  }
}

interface Calculation {
  readonly what: string
  readonly source: Source
  readonly situation: Situation
}

function calculated({ what, source, situation }: Calculation, calculate: (question: Question) => Proposal): Proposal {
  const { name, container } = source
  const { replicas, pods, now } = situation
  try {
    const metrics = metricsOf(situation, source)
    const only = container === undefined ? {} : { container }
    return calculate({ currentReplicas: replicas, resource: name, pods, metrics, now, ...only })
  } catch (error) {
    if (!(error instanceof CannotCalculate)) throw error
    throw new CannotCalculate(`failed to get ${name} ${what}: ${error.message}`)
  }
}

function metricsOf({ samples }: Situation, { name, container }: Source): PodMetrics {
  const unable = (why: string): Error => new CannotCalculate(`unable to get metrics for resource ${name}: ${why}`)
  if ('error' in samples) throw unable(`unable to fetch metrics from resource metrics API: ${samples.error}`)
  if (samples.length === 0) throw unable('no metrics returned from resource metrics API')
  const metrics = new Map<string, PodMetric>()
  for (const { pod, at, windowMs, containers } of samples) {
    const counted = container === undefined ? containers : containers.filter((one) => one.name === container)
    const values = counted.map(({ usage }) => usage[name])
    // A pod without the container, or without a figure of one, is a pod without a sample.
    if (values.length === 0 || values.includes(undefined)) continue
    metrics.set(pod, { value: values.reduce<number>((sum, value) => sum + (value ?? 0), 0), at, windowMs })
  }
  return metrics
}

function success({ name, container }: Source, proposal: Proposal, called: string): Success {
  const { replicas, average, utilization } = proposal
  const current = {
    ...(utilization === undefined ? {} : { averageUtilization: utilization }),
    // Of memory in whole bytes, so that it does not come in thousandths of them.
    averageValue: name === 'memory' ? wholeQuantity(Math.trunc(average / 1000), 'BinarySI') : milliQuantity(average),
  }
  const status: MetricStatus =
    container === undefined
      ? { type: 'Resource', resource: { name, current } }
      : { type: 'ContainerResource', containerResource: { name, container, current } }
  return { replicas, name: called, status }
}
