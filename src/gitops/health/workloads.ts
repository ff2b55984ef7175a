// Health of Deployment, ReplicaSet, StatefulSet and DaemonSet: kubectl's rollout rules, in Argo CD's order and words.

import type { DaemonSet, Deployment, ReplicaSet, StatefulSet } from '#kinds'
import { byCondition, degraded, findCondition, type HealthRule, healthy, progressing, suspended } from './verdict.ts'

const observed = (generation: number | undefined): readonly [string, number, string] => [
  'status.observedGeneration',
  generation ?? 0,
  'lower than metadata.generation',
]

export const deploymentHealth: HealthRule = (object) => {
  const { metadata, spec, status = {} } = object as unknown as Deployment
  if (spec?.paused === true)
    return suspended(['spec.paused', true, 'a paused rollout is suspended'], 'Deployment is paused')
  if ((metadata.generation ?? 0) > (status.observedGeneration ?? 0)) {
    return progressing(
      observed(status.observedGeneration),
      'Waiting for rollout to finish: observed deployment generation less than desired generation',
    )
  }
  const progress = findCondition(status.conditions, 'Progressing')
  if (progress?.reason === 'ProgressDeadlineExceeded') {
    return degraded(
      byCondition(progress, 'the rollout took too long'),
      `Deployment ${JSON.stringify(metadata.name)} exceeded its progress deadline`,
    )
  }
  const { updatedReplicas = 0, replicas = 0, availableReplicas = 0 } = status
  if (spec?.replicas !== undefined && updatedReplicas < spec.replicas) {
    return progressing(
      ['status.updatedReplicas', updatedReplicas, `fewer than spec.replicas (${spec.replicas})`],
      `Waiting for rollout to finish: ${updatedReplicas} out of ${spec.replicas} new replicas have been updated...`,
    )
  }
  if (replicas > updatedReplicas) {
    return progressing(
      ['status.replicas', replicas, `more than status.updatedReplicas (${updatedReplicas})`],
      `Waiting for rollout to finish: ${replicas - updatedReplicas} old replicas are pending termination...`,
    )
  }
  if (availableReplicas < updatedReplicas) {
    return progressing(
      ['status.availableReplicas', availableReplicas, `fewer than status.updatedReplicas (${updatedReplicas})`],
      `Waiting for rollout to finish: ${availableReplicas} of ${updatedReplicas} updated replicas are available...`,
    )
  }
  return healthy(['status.availableReplicas', availableReplicas, 'every updated replica is available'])
}

export const replicaSetHealth: HealthRule = (object) => {
  const { metadata, spec, status } = object as unknown as ReplicaSet
  if ((metadata.generation ?? 0) > (status?.observedGeneration ?? 0)) {
    return progressing(
      observed(status?.observedGeneration),
      'Waiting for rollout to finish: observed replica set generation less than desired generation',
    )
  }
  const failure = findCondition(status?.conditions, 'ReplicaFailure')
  if (failure?.status === 'True')
    return degraded(byCondition(failure, 'pods cannot be made or removed'), failure.message)
  const available = status?.availableReplicas ?? 0
  if (spec?.replicas !== undefined && available < spec.replicas) {
    return progressing(
      ['status.availableReplicas', available, `fewer than spec.replicas (${spec.replicas})`],
      `Waiting for rollout to finish: ${available} out of ${spec.replicas} new replicas are available...`,
    )
  }
  return healthy(['status.availableReplicas', available, 'every replica is available'])
}

export const statefulSetHealth: HealthRule = (object) => {
  const { metadata, spec, status } = object as unknown as StatefulSet
  const seen = status?.observedGeneration ?? 0
  if (seen === 0 || (metadata.generation ?? 0) > seen) {
    return progressing(observed(seen), 'Waiting for statefulset spec update to be observed...')
  }
  const { readyReplicas = 0, updatedReplicas = 0, currentReplicas = 0 } = status ?? {}
  if (spec?.replicas !== undefined && readyReplicas < spec.replicas) {
    return progressing(
      ['status.readyReplicas', readyReplicas, `fewer than spec.replicas (${spec.replicas})`],
      `Waiting for ${spec.replicas - readyReplicas} pods to be ready...`,
    )
  }
  const strategy = spec?.updateStrategy
  if (strategy?.type === 'RollingUpdate' && strategy.rollingUpdate !== undefined) {
    const { partition } = strategy.rollingUpdate
    const wanted = (spec?.replicas ?? 0) - (partition ?? 0)
    if (spec?.replicas !== undefined && partition !== undefined && updatedReplicas < wanted) {
      return progressing(
        ['status.updatedReplicas', updatedReplicas, `fewer than spec.replicas less the partition (${wanted})`],
        `Waiting for partitioned roll out to finish: ${updatedReplicas} out of ${wanted} new pods have been updated...`,
      )
    }
    return healthy(
      ['status.updatedReplicas', updatedReplicas, 'every pod above the partition is updated'],
      `partitioned roll out complete: ${updatedReplicas} new pods have been updated...`,
    )
  }
  if (strategy?.type === 'OnDelete') {
    return healthy(
      ['status.readyReplicas', readyReplicas, 'with OnDelete, ready pods are all that is asked for'],
      `statefulset has ${readyReplicas} ready pods`,
    )
  }
  if (status?.updateRevision !== status?.currentRevision) {
    return progressing(
      [
        'status.currentRevision',
        status?.currentRevision,
        `differs from status.updateRevision (${status?.updateRevision})`,
      ],
      `waiting for statefulset rolling update to complete ${updatedReplicas} pods at revision ${status?.updateRevision}...`,
    )
  }
  return healthy(
    ['status.currentRevision', status?.currentRevision, 'every pod is at the update revision'],
    `statefulset rolling update complete ${currentReplicas} pods at revision ${status?.currentRevision}...`,
  )
}

export const daemonSetHealth: HealthRule = (object) => {
  const { metadata, spec, status } = object as unknown as DaemonSet
  if ((metadata.generation ?? 0) > (status?.observedGeneration ?? 0)) {
    return progressing(
      observed(status?.observedGeneration),
      'Waiting for rollout to finish: observed daemon set generation less than desired generation',
    )
  }
  const desired = status?.desiredNumberScheduled ?? 0
  const updated = status?.updatedNumberScheduled ?? 0
  const available = status?.numberAvailable ?? 0
  const name = JSON.stringify(metadata.name)
  if (spec?.updateStrategy?.type === 'OnDelete') {
    return healthy(
      ['status.updatedNumberScheduled', updated, 'with OnDelete, pods are updated when they are deleted'],
      `daemon set ${updated} out of ${desired} new pods have been updated`,
    )
  }
  if (updated < desired) {
    return progressing(
      ['status.updatedNumberScheduled', updated, `fewer than status.desiredNumberScheduled (${desired})`],
      `Waiting for daemon set ${name} rollout to finish: ${updated} out of ${desired} new pods have been updated...`,
    )
  }
  if (available < desired) {
    return progressing(
      ['status.numberAvailable', available, `fewer than status.desiredNumberScheduled (${desired})`],
      `Waiting for daemon set ${name} rollout to finish: ${available} of ${desired} updated pods are available...`,
    )
  }
  return healthy(['status.numberAvailable', available, 'every scheduled pod is available'])
}
