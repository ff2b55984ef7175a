// The health of one object: the table of rules by kind, Argo CD's. Kinds of Kubernetes without a rule have no health;
// custom resources are judged by the rules of `custom/`, others by kstatus. Pure.

import { resourceTable } from '#kinds'
import { type AnyObject, groupOf } from '#objects'
import { autoscalerHealth } from './autoscaler.ts'
import { customRule } from './custom/index.ts'
import { apiServiceHealth, applicationHealth, definitionHealth, disruptionBudgetHealth } from './extension.ts'
import { genericHealth } from './generic.ts'
import { cronJobHealth, jobHealth } from './jobs.ts'
import { claimHealth, ingressHealth, serviceHealth } from './network.ts'
import { podHealth } from './pod.ts'
import { deletionField, type HealthRule, progressing, type Verdict } from './verdict.ts'
import { daemonSetHealth, deploymentHealth, replicaSetHealth, statefulSetHealth } from './workloads.ts'

const rules: ReadonlyMap<string, HealthRule> = new Map<string, HealthRule>([
  ['/Pod', podHealth],
  ['/Service', serviceHealth],
  ['/PersistentVolumeClaim', claimHealth],
  ['apps/Deployment', deploymentHealth],
  ['apps/ReplicaSet', replicaSetHealth],
  ['apps/StatefulSet', statefulSetHealth],
  ['apps/DaemonSet', daemonSetHealth],
  ['batch/Job', jobHealth],
  ['batch/CronJob', cronJobHealth],
  ['networking.k8s.io/Ingress', ingressHealth],
  ['extensions/Ingress', ingressHealth],
  ['autoscaling/HorizontalPodAutoscaler', autoscalerHealth],
  ['policy/PodDisruptionBudget', disruptionBudgetHealth],
  ['apiextensions.k8s.io/CustomResourceDefinition', definitionHealth],
  ['apiregistration.k8s.io/APIService', apiServiceHealth],
  ['argoproj.io/Application', applicationHealth],
])

const withoutHealth: ReadonlySet<string> = new Set(['argoproj.io/AppProject'])
const builtInGroups: ReadonlySet<string> = new Set(resourceTable.map((resource) => resource.group))
const hookFinalizer = 'argocd.argoproj.io/hook-finalizer'

/** On its way out: whatever else it says of itself no longer counts. Hooks that wait for their result to be recorded do. */
export const isPendingDeletion = ({ metadata: { deletionTimestamp, finalizers } }: AnyObject): boolean =>
  deletionTimestamp !== undefined && finalizers?.includes(hookFinalizer) !== true

/** Undefined for what has no health. A rule that says what a deletion waits for is heard; otherwise it is pending. */
export function healthOf(object: AnyObject): Verdict | undefined {
  const group = groupOf(object.apiVersion)
  const name = `${group}/${object.kind}`
  const rule = rules.get(name) ?? customRule(group, object.kind)
  if (isPendingDeletion(object)) {
    const verdict = rule?.(object)
    if (verdict?.proof.field === deletionField) return verdict
    return progressing([deletionField, object.metadata.deletionTimestamp, 'being deleted'], 'Pending deletion')
  }
  if (rule !== undefined) return rule(object)
  return builtInGroups.has(group) || withoutHealth.has(name) ? undefined : genericHealth(object)
}
