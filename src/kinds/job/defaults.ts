// Defaults of a Job, and the selector and labels that are made from its uid.

import type { Job, JobSpec, PodFailurePolicyRule } from '../generated/types.ts'
import { templateDefaults } from '../podspec/defaults.ts'
import { mapShared, withDefaults } from '../sharing.ts'

const unlimited = 2147483647

/** What Jobs have and the templates of CronJobs have not. */
export function jobDefaults(job: Job): Job {
  const spec = job.spec ?? ({} as JobSpec)
  const single = spec.completions === undefined && spec.parallelism === undefined
  const labels = spec.template?.metadata?.labels
  return withDefaults(job, {
    metadata: withDefaults(job.metadata, {
      labels: Object.keys(job.metadata.labels ?? {}).length === 0 ? labels : undefined,
    }),
    spec: withDefaults(spec, {
      completions: spec.completions ?? (single ? 1 : undefined),
      parallelism: spec.parallelism ?? 1,
      backoffLimit: spec.backoffLimit ?? (spec.backoffLimitPerIndex === undefined ? 6 : unlimited),
      completionMode: spec.completionMode ?? 'NonIndexed',
      suspend: spec.suspend ?? false,
      manualSelector: spec.manualSelector ?? false,
      podReplacementPolicy:
        spec.podReplacementPolicy ?? (spec.podFailurePolicy === undefined ? 'TerminatingOrFailed' : 'Failed'),
      podFailurePolicy: failurePolicyDefaults(spec),
      template: templateDefaults(spec.template),
    }),
  })
}

const failurePolicyDefaults = ({ podFailurePolicy: policy }: JobSpec): JobSpec['podFailurePolicy'] =>
  policy && withDefaults(policy, { rules: policy.rules && mapShared(policy.rules, ruleDefaults) })

const ruleDefaults = (rule: PodFailurePolicyRule): PodFailurePolicyRule =>
  withDefaults(rule, {
    onPodConditions:
      rule.onPodConditions &&
      mapShared(rule.onPodConditions, (pattern) => withDefaults(pattern, { status: pattern.status || 'True' })),
  })

export const controllerUidLabel = 'batch.kubernetes.io/controller-uid'

export const generatedLabels = ({ metadata }: Job): Readonly<Record<string, string>> => ({
  'batch.kubernetes.io/controller-uid': metadata.uid ?? '',
  'batch.kubernetes.io/job-name': metadata.name ?? '',
  'controller-uid': metadata.uid ?? '',
  'job-name': metadata.name ?? '',
})

/** Gives the job its selector and its pods their labels, unless the selector is the client's own affair. */
export function withGeneratedSelector(job: Job): Job {
  const { spec, metadata } = job
  if (spec === undefined || spec.manualSelector === true) return job
  const templateMeta = spec.template.metadata ?? {}
  const labels = { ...generatedLabels(job), ...templateMeta.labels }
  const given = metadata.labels ?? {}
  // A job without labels of its own takes over those of its pods; a name that is no label is refused with the template.
  const adopts = Object.keys(given).length === 0 ? (metadata.name ?? '').length <= 63 : given === templateMeta.labels
  return {
    ...job,
    metadata: adopts ? { ...metadata, labels } : metadata,
    spec: {
      ...spec,
      selector: {
        ...spec.selector,
        matchLabels: { [controllerUidLabel]: metadata.uid ?? '', ...spec.selector?.matchLabels },
      },
      template: { ...spec.template, metadata: { ...templateMeta, labels } },
    },
  }
}
