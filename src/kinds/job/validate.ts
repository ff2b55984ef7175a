// Faults of Jobs and of the job templates of CronJobs (pkg/apis/batch/validation).

import { isEqual, matchesLabels } from '#objects'
import { type FieldError, invalid, notSupported, required, tooLong } from '../field-error.ts'
import type { Job, JobSpec, PodTemplateSpec } from '../generated/types.ts'
import { asGoStruct, goMap, goStruct } from '../go-struct.ts'
import { checkDomainPath } from '../metadata/domain-path.ts'
import { dnsLabel, immutableText } from '../metadata/formats.ts'
import { checkTemplate } from '../podspec/validate.ts'
import { checkSelector, printableSelector } from '../selector/validate.ts'
import { without } from '../sharing.ts'
import { checkNonNegative, isUnusable } from '../workload/selector.ts'
import { generatedLabels } from './defaults.ts'
import { checkFailurePolicy, checkSuccessPolicy, internalFailurePolicy, internalSuccessPolicy } from './policies.ts'

const maxIndexedParallelism = 100_000
const maxFailedIndexes = 100_000
/** Above so many completions, less may run and fail at once. */
const manyCompletions = 100_000
const maxWithManyCompletions = 10_000

export function validateJob(job: Job): readonly FieldError[] {
  const errors: FieldError[] = []
  const spec = job.spec ?? ({} as JobSpec)
  checkGeneratedSelector(job, spec, errors)
  checkJobSpec(spec, 'spec', errors)
  checkOwnSelector(spec, errors)
  const { completions = 0 } = spec
  if (spec.completionMode === 'Indexed' && completions > 0) {
    const hostname = `${job.metadata.name ?? ''}-${completions - 1}`
    if (dnsLabel(hostname).length > 0)
      errors.push(
        invalid(
          'metadata.name',
          job.metadata.name ?? '',
          `will not able to create pod with invalid DNS label: ${hostname}`,
        ),
      )
  }
  return errors
}

function checkGeneratedSelector(job: Job, spec: JobSpec, errors: FieldError[]): void {
  if (spec.manualSelector === true || spec.selector == null) return
  if (!job.metadata.uid) errors.push(required('metadata.uid'))
  const labels = spec.template.metadata?.labels ?? {}
  const expected = generatedLabels(job)
  for (const key of [
    'controller-uid',
    'job-name',
    'batch.kubernetes.io/controller-uid',
    'batch.kubernetes.io/job-name',
  ]) {
    const at = `spec.template.metadata.labels[${key}]`
    const text = `must be '${expected[key]}'`
    if (labels[key] === undefined) errors.push(required(at, text))
    else if (labels[key] !== expected[key]) errors.push(invalid(at, goMap(labels), text))
  }
  if (!isUnusable(spec.selector) && !matchesLabels(spec.selector, expected))
    errors.push(invalid('spec.selector', printableSelector(spec.selector), '`selector` not auto-generated'))
}

function checkOwnSelector(spec: JobSpec, errors: FieldError[]): void {
  const { selector, template } = spec
  if (selector == null) errors.push(required('spec.selector'))
  else checkSelector(selector, 'spec.selector', errors)
  if (!isUnusable(selector) && !(selector != null && matchesLabels(selector, template.metadata?.labels ?? {})))
    errors.push(
      invalid(
        'spec.template.metadata.labels',
        goMap(template.metadata?.labels),
        '`selector` does not match template `labels`',
      ),
    )
}

const counts = [
  'parallelism',
  'completions',
  'activeDeadlineSeconds',
  'backoffLimit',
  'ttlSecondsAfterFinished',
  'backoffLimitPerIndex',
] as const

/** What Jobs and job templates have alike. */
export function checkJobSpec(spec: JobSpec, path: string, errors: FieldError[]): void {
  for (const field of counts) checkNonNegative(spec[field], `${path}.${field}`, errors)
  if (spec.maxFailedIndexes !== undefined) {
    checkNonNegative(spec.maxFailedIndexes, `${path}.maxFailedIndexes`, errors)
    if (spec.backoffLimitPerIndex === undefined)
      errors.push(required(`${path}.backoffLimitPerIndex`, 'when maxFailedIndexes is specified'))
  }
  if (spec.managedBy !== undefined) {
    checkDomainPath(spec.managedBy, `${path}.managedBy`, errors)
    if (spec.managedBy.length > 63) errors.push(tooLong(`${path}.managedBy`, 63))
  }
  checkCompletionMode(spec, path, errors)
  if (spec.podFailurePolicy !== undefined) checkFailurePolicy(spec, `${path}.podFailurePolicy`, errors)
  checkSuccessPolicy(spec, `${path}.successPolicy`, errors)
  checkReplacement(spec, `${path}.podReplacementPolicy`, errors)
  checkTemplate(spec.template ?? {}, `${path}.template`, errors)
  checkRestartPolicy(spec, `${path}.template.spec.restartPolicy`, errors)
}

function checkCompletionMode(spec: JobSpec, path: string, errors: FieldError[]): void {
  const { completionMode: mode, completions, parallelism } = spec
  if (mode !== undefined && mode !== 'NonIndexed' && mode !== 'Indexed')
    errors.push(notSupported(`${path}.completionMode`, mode, ['NonIndexed', 'Indexed']))
  if (mode === 'Indexed') {
    if (completions === undefined) errors.push(required(`${path}.completions`, 'when completion mode is Indexed'))
    if ((parallelism ?? 0) > maxIndexedParallelism)
      errors.push(
        invalid(
          `${path}.parallelism`,
          parallelism,
          `must be less than or equal to ${maxIndexedParallelism} when completion mode is Indexed`,
        ),
      )
    checkIndexLimits(spec, path, errors)
  } else if (mode === undefined || mode === 'NonIndexed')
    for (const field of ['backoffLimitPerIndex', 'maxFailedIndexes'] as const)
      if (spec[field] !== undefined)
        errors.push(invalid(`${path}.${field}`, spec[field], 'requires indexed completion mode'))
}

function checkIndexLimits(spec: JobSpec, path: string, errors: FieldError[]): void {
  const { completions, parallelism, maxFailedIndexes: failed, backoffLimitPerIndex } = spec
  const at = `${path}.maxFailedIndexes`
  if (completions !== undefined && failed !== undefined && failed > completions)
    errors.push(invalid(at, failed, 'must be less than or equal to completions'))
  if (failed !== undefined && failed > maxFailedIndexes)
    errors.push(invalid(at, failed, `must be less than or equal to ${maxFailedIndexes}`))
  if ((completions ?? 0) <= manyCompletions || backoffLimitPerIndex === undefined) return
  const text = `must be less than or equal to ${maxWithManyCompletions} when completions are above ${manyCompletions} and used with backoff limit per index`
  if (failed === undefined) errors.push(required(at, `must be specified when completions is above ${manyCompletions}`))
  if ((parallelism ?? 0) > maxWithManyCompletions) errors.push(invalid(`${path}.parallelism`, parallelism, text))
  if ((failed ?? 0) > maxWithManyCompletions) errors.push(invalid(at, failed, text))
}

function checkReplacement(spec: JobSpec, path: string, errors: FieldError[]): void {
  const policy = spec.podReplacementPolicy
  if (policy === undefined) return
  if (spec.podFailurePolicy !== undefined) {
    if (policy !== 'Failed') errors.push(notSupported(path, policy, ['Failed']))
  } else if (policy !== 'Failed' && policy !== 'TerminatingOrFailed')
    errors.push(notSupported(path, policy, ['Failed', 'TerminatingOrFailed']))
}

function checkRestartPolicy(spec: JobSpec, path: string, errors: FieldError[]): void {
  const policy = spec.template?.spec?.restartPolicy
  if (policy === undefined || policy === 'Always') errors.push(required(path, 'valid values: "OnFailure", "Never"'))
  else if (policy !== 'OnFailure' && policy !== 'Never') errors.push(notSupported(path, policy, ['OnFailure', 'Never']))
  else if (spec.podFailurePolicy !== undefined && policy !== 'Never')
    errors.push(invalid(path, policy, 'only "Never" is supported when podFailurePolicy is specified'))
}

export function validateJobUpdate(job: Job, old: Job): readonly FieldError[] {
  // Kubernetes checks the job as a new one first.
  const errors: FieldError[] = [...validateJob(job)]
  const [spec, before] = [job.spec ?? ({} as JobSpec), old.spec ?? ({} as JobSpec)]
  checkJobSpec(spec, 'spec', errors)
  checkOwnSelector(spec, errors)
  checkCompletionsChange(spec, before, errors)
  const unchanged = (field: keyof JobSpec, shown: unknown): void => {
    if (!isEqual(spec[field], before[field])) errors.push(invalid(`spec.${field}`, shown ?? null, immutableText))
  }
  unchanged('selector', spec.selector == null ? null : printableSelector(spec.selector))
  checkTemplateChange(job, old, errors)
  const { podFailurePolicy: failure, successPolicy: success } = spec
  unchanged('completionMode', spec.completionMode)
  unchanged('podFailurePolicy', failure && asGoStruct(internalFailurePolicy, failure))
  unchanged('backoffLimitPerIndex', spec.backoffLimitPerIndex)
  unchanged('managedBy', spec.managedBy)
  unchanged('successPolicy', success && asGoStruct(internalSuccessPolicy, success))
  return errors
}

function checkCompletionsChange(spec: JobSpec, old: JobSpec, errors: FieldError[]): void {
  if (spec.completions === old.completions) return
  if (spec.completionMode !== 'Indexed')
    errors.push(invalid('spec.completions', spec.completions ?? null, immutableText))
  else if (spec.completions !== undefined && spec.completions !== spec.parallelism)
    errors.push(invalid('spec.completions', spec.completions, 'can only be modified in tandem with spec.parallelism'))
}

const internalTemplate = goStruct('ObjectMeta:metadata Spec:spec')

/** A suspended job that never ran may still be told where its pods shall go. */
function checkTemplateChange(job: Job, old: Job, errors: FieldError[]): void {
  const [template, before] = [job.spec?.template ?? {}, old.spec?.template ?? {}]
  if (isEqual(template, before)) return
  const mayMove = old.spec?.suspend === true && old.status?.startTime == null
  const allowed = mayMove ? withSchedulingOf(before, template) : before
  if (!isEqual(template, allowed))
    errors.push(invalid('spec.template', asGoStruct(internalTemplate, template), immutableText))
}

function withSchedulingOf(template: PodTemplateSpec, source: PodTemplateSpec): PodTemplateSpec {
  const from = source.spec
  if (template.spec === undefined || from === undefined) return template
  const { nodeSelector: _n, tolerations: _t, schedulingGates: _g, affinity, ...spec } = template.spec
  const { nodeAffinity: _a, ...otherAffinity } = affinity ?? {}
  const moved = { ...otherAffinity, ...(from.affinity?.nodeAffinity && { nodeAffinity: from.affinity.nodeAffinity }) }
  return {
    ...template,
    metadata: {
      ...without(template.metadata ?? {}, 'annotations', 'labels'),
      ...(source.metadata?.annotations && { annotations: source.metadata.annotations }),
      ...(source.metadata?.labels && { labels: source.metadata.labels }),
    },
    spec: {
      ...spec,
      ...(from.nodeSelector && { nodeSelector: from.nodeSelector }),
      ...(from.tolerations && { tolerations: from.tolerations }),
      ...(from.schedulingGates && { schedulingGates: from.schedulingGates }),
      ...(from.affinity !== undefined || Object.keys(moved).length > 0 ? { affinity: moved } : {}),
    },
  }
}
