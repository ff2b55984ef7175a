// What metrics that are no resources propose: of pods, of another object, or from outside of the cluster. Their values come
// from the custom and external metrics APIs. Pure; texts are Kubernetes' own.

import type { ExternalMetricSource, MetricSpec, MetricTarget, ObjectMetricSource, PodsMetricSource } from '#kinds'
import { milliQuantity, quantityMilliValue } from '#objects'
import { goSelector } from '../go-text.ts'
import { CannotCalculate, type PodMetric, replicasForAverage, replicasForRatio, replicasForTotal } from './replicas.ts'
import type { Failure, MetricSample, Reading, Situation, Success } from './situation.ts'

type Proposed = Success | Failure

const unread: Reading = { error: 'it was not read' }

/** Throws what cannot be calculated. */
function valuesOf(metric: MetricSpec, { readings }: Situation): readonly MetricSample[] {
  const reading = readings.get(metric) ?? unread
  if ('error' in reading) throw new CannotCalculate(reading.error)
  return reading.values
}

/** Runs a calculation; `explain` puts what was asked for around the reason why it failed. */
function attempt(calculate: () => Success, failed: (message: string) => Failure): Proposed {
  try {
    return calculate()
  } catch (error) {
    if (!(error instanceof CannotCalculate)) throw error
    return failed(error.message)
  }
}

export function podsMetric(metric: MetricSpec, source: PodsMetricSource, situation: Situation): Proposed {
  const { name, selector } = source.metric
  const failed = (why: string): Failure => ({
    reason: 'FailedGetPodsMetric',
    message: why,
    context: 'failed to get pods metric value',
  })
  return attempt(() => {
    const metrics = new Map<string, PodMetric>()
    try {
      for (const { object, ...sample } of valuesOf(metric, situation)) metrics.set(object, sample)
    } catch (error) {
      throw new CannotCalculate(`unable to get metric ${name}: ${messageOf(error)}`)
    }
    const { replicas: currentReplicas, pods, now } = situation
    const target = quantityMilliValue(source.target.averageValue ?? 0)
    const { replicas, average } = replicasForAverage({ currentReplicas, resource: '', pods, metrics, now }, target)
    const current = { averageValue: milliQuantity(average) }
    return {
      replicas,
      name: `pods metric ${name}`,
      status: { type: 'Pods', pods: { metric: identifier(name, selector), current } },
    }
  }, failed)
}

export function objectMetric(metric: MetricSpec, source: ObjectMetricSource, situation: Situation): Proposed {
  const { describedObject, target } = source
  const { name, selector } = source.metric
  const where = `${describedObject.kind} on ${situation.namespace} ${describedObject.name}`
  const isTotal = target.type === 'Value' && target.value !== undefined
  const isAverage = target.type === 'AverageValue' && target.averageValue !== undefined
  const failed = (why: string): Failure => ({
    reason: 'FailedGetObjectMetric',
    message: why,
    context: `failed to get object metric value${isAverage ? `: failed to get ${name} object metric` : ''}`,
  })
  if (!isTotal && !isAverage)
    return failed('invalid object metric source: neither a value target nor an average value target was set')
  return attempt(() => {
    const value = measured(metric, situation, (why) => `unable to get metric ${name}: ${where}/${why}`)
    const { replicas, current } = proposedFor(value, target, situation)
    return {
      replicas,
      name: isTotal ? `${describedObject.kind} metric ${name}` : externalName(name, selector),
      status: {
        type: 'Object',
        // Kubernetes leaves the object out where a target for each pod is compared with.
        object: {
          describedObject: isTotal ? describedObject : { kind: '', name: '' },
          metric: identifier(name, selector),
          current,
        },
      },
    }
  }, failed)
}

export function externalMetric(metric: MetricSpec, source: ExternalMetricSource, situation: Situation): Proposed {
  const { target } = source
  const { name, selector } = source.metric
  const what =
    target.averageValue !== undefined
      ? `: failed to get ${name} external metric`
      : target.value !== undefined
        ? `: failed to get external metric ${name}`
        : ''
  const failed = (why: string): Failure => ({
    reason: 'FailedGetExternalMetric',
    message: why,
    context: `failed to get ${name} external metric value${what}`,
  })
  if (what === '')
    return failed('invalid external metric source: neither a value target nor an average value target was set')
  const path = `${situation.namespace}/${name}/${goSelector(selector)}`
  return attempt(() => {
    const value = measured(metric, situation, (why) => `unable to get external metric ${path}: ${why}`)
    const { replicas, current } = proposedFor(value, target, situation)
    return {
      replicas,
      name: externalName(name, selector),
      status: { type: 'External', external: { metric: identifier(name, selector), current } },
    }
  }, failed)
}

/** The sum of all values. */
function measured(metric: MetricSpec, situation: Situation, explain: (why: string) => string): number {
  try {
    return valuesOf(metric, situation).reduce((sum, { value }) => sum + value, 0)
  } catch (error) {
    throw new CannotCalculate(explain(messageOf(error)))
  }
}

interface Proposal {
  readonly replicas: number
  readonly current: { readonly value: string } | { readonly averageValue: string }
}

/** A target for each pod looks at the pods that there are, one for all of them at those that are ready. */
function proposedFor(value: number, target: MetricTarget, situation: Situation): Proposal {
  if (target.averageValue !== undefined) {
    const { replicas, average } = replicasForTotal(situation.running, value, quantityMilliValue(target.averageValue))
    return { replicas, current: { averageValue: milliQuantity(average) } }
  }
  const replicas = replicasForRatio(situation, value / quantityMilliValue(target.value ?? 0))
  return { replicas, current: { value: milliQuantity(value) } }
}

type Selector = PodsMetricSource['metric']['selector']

const identifier = (name: string, selector: Selector): PodsMetricSource['metric'] => ({
  name,
  ...(selector === undefined ? {} : { selector }),
})

const externalName = (name: string, selector: Selector): string => `external metric ${name}(${goSelector(selector)})`

const messageOf = (error: unknown): string => {
  if (error instanceof CannotCalculate) return error.message
  throw error
}
