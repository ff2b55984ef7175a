// The pods that a Job creates: its template with the tracking finalizer, and for Indexed Jobs with index, host name and
// environment variable. Pure; pods of one Job share as much as they can.

import { type Container, Job, type Pod, type PodTemplateSpec } from '#kinds'
import { type PodOwner, podFromTemplate } from '../pod-control.ts'
import type { Assessment } from './assess.ts'
import {
  failureCountAnnotation,
  failuresBefore,
  hasLimitPerIndex,
  ignoredBefore,
  ignoredCountAnnotation,
  indexAnnotation,
  trackingFinalizer,
} from './pods.ts'
import { judgeFailure } from './policies.ts'

const indexVariable = 'JOB_COMPLETION_INDEX'
/** Longest prefix of a generated name. */
const maxPrefix = 58

const trackedTemplates = new WeakMap<PodTemplateSpec, PodTemplateSpec>()
const indexedTemplates = new WeakMap<PodTemplateSpec, PodTemplateSpec>()

export const jobOwner = (job: Job): PodOwner => ({ kind: Job, object: job, component: 'job-controller' })

export const plainPod = (job: Job): Pod =>
  podFromTemplate(jobOwner(job), cached(trackedTemplates, job.spec.template, withFinalizer))

export function indexedPod({ job, delayed }: Assessment, index: number): Pod {
  const base = podFromTemplate(
    jobOwner(job),
    cached(indexedTemplates, job.spec.template, (template) => withVariables(withFinalizer(template))),
  )
  const suffix = `-${index}-`
  const text = String(index)
  const counts = hasLimitPerIndex(job) ? failureCounts(job, delayed.get(index)) : {}
  return {
    ...base,
    metadata: {
      ...base.metadata,
      generateName: `${(job.metadata.name ?? '').slice(0, maxPrefix - suffix.length)}${suffix}`,
      labels: { ...base.metadata.labels, [indexAnnotation]: text },
      annotations: { ...base.metadata.annotations, [indexAnnotation]: text, ...counts },
    },
    spec: { ...base.spec, hostname: `${job.metadata.name}-${index}` },
  }
}

function cached(
  cache: WeakMap<PodTemplateSpec, PodTemplateSpec>,
  template: PodTemplateSpec,
  make: (template: PodTemplateSpec) => PodTemplateSpec,
): PodTemplateSpec {
  const known = cache.get(template)
  if (known !== undefined) return known
  const made = make(template)
  cache.set(template, made)
  return made
}

function withFinalizer(template: PodTemplateSpec): PodTemplateSpec {
  const finalizers = template.metadata?.finalizers ?? []
  if (finalizers.includes(trackingFinalizer)) return template
  return { ...template, metadata: { ...template.metadata, finalizers: [...finalizers, trackingFinalizer] } }
}

function withVariables(template: PodTemplateSpec): PodTemplateSpec {
  const { spec } = template
  if (spec === undefined) return template
  const { initContainers } = spec
  return {
    ...template,
    spec: {
      ...spec,
      containers: spec.containers.map(withVariable),
      ...(initContainers === undefined ? {} : { initContainers: initContainers.map(withVariable) }),
    },
  }
}

function withVariable(container: Container): Container {
  const env = container.env ?? []
  if (env.some(({ name }) => name === indexVariable)) return container
  const fieldRef = { fieldPath: `metadata.labels['${indexAnnotation}']` }
  return { ...container, env: [...env, { name: indexVariable, valueFrom: { fieldRef } }] }
}

/** Failures of the index so far, handed on from the pod that is replaced. */
function failureCounts(job: Job, replaced: Pod | undefined): Readonly<Record<string, string>> {
  if (replaced === undefined) return { [failureCountAnnotation]: '0' }
  const counts = judgeFailure(job, replaced).counts
  const failures = failuresBefore(replaced) + (counts ? 1 : 0)
  const ignored = ignoredBefore(replaced) + (counts ? 0 : 1)
  return {
    [failureCountAnnotation]: String(failures),
    ...(ignored > 0 ? { [ignoredCountAnnotation]: String(ignored) } : {}),
  }
}
