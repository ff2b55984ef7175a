// Job (batch/v1).

import { parseTime } from '#objects'
import { quote } from '../field-error.ts'
import { Job } from '../generated/types.ts'
import type { Column, KindRules } from '../kind.ts'
import { formatSelector } from '../selector/format.ts'
import { without } from '../sharing.ts'
import { ageColumn, containerColumns, nameColumn, text, wide } from '../table/columns.ts'
import { humanDuration } from '../table/duration.ts'
import { isNewGeneration, nameWarnings } from '../workload/warnings.ts'
import { jobDefaults, withGeneratedSelector } from './defaults.ts'
import { validateJobStatus } from './status.ts'
import { validateJob, validateJobUpdate } from './validate.ts'
import { jobSpecWarnings } from './warnings.ts'

function statusText({ status, metadata }: Job): string {
  const has = (type: string): boolean =>
    status?.conditions?.some((condition) => condition.type === type && condition.status === 'True') ?? false
  if (has('Complete')) return 'Complete'
  if (has('Failed')) return 'Failed'
  if (metadata.deletionTimestamp !== undefined) return 'Terminating'
  if (has('Suspended')) return 'Suspended'
  if (has('FailureTarget')) return 'FailureTarget'
  return has('SuccessCriteriaMet') ? 'SuccessCriteriaMet' : 'Running'
}

function completionsText({ spec, status }: Job): string {
  const succeeded = status?.succeeded ?? 0
  if (spec?.completions !== undefined) return `${succeeded}/${spec.completions}`
  const parallelism = spec?.parallelism ?? 0
  return parallelism > 1 ? `${succeeded}/1 of ${parallelism}` : `${succeeded}/1`
}

function durationText({ status }: Job, now: number): string {
  const start = parseTime(status?.startTime as string | undefined)
  if (start === undefined) return ''
  return humanDuration((parseTime(status?.completionTime as string | undefined) ?? now) - start)
}

const columns: readonly Column<Job>[] = [
  nameColumn,
  text('Status', 'Status of the job.', statusText),
  text(
    'Completions',
    'The number of pods which reached phase Succeeded. The value increases monotonically for a given spec. However, it may decrease in reaction to scale down of elastic indexed jobs.',
    completionsText,
  ),
  text('Duration', 'Time required to complete the job.', durationText),
  ageColumn,
  ...containerColumns<Job>(({ spec }) => spec?.template).map(wide),
  wide(
    text(
      'Selector',
      'A label query over pods that should match the pod count. Normally, the system sets this field for you. More info: https://kubernetes.io/docs/concepts/overview/working-with-objects/labels/#label-selectors',
      ({ spec }) => formatSelector(spec?.selector),
    ),
  ),
]

export const jobRules: KindRules<Job> = {
  kind: Job,
  metaOnUpdate: 'mu',
  defaults: jobDefaults,
  prepareForCreate: (job) => withGeneratedSelector(without(job, 'status')),
  validate: validateJob,
  validateUpdate: validateJobUpdate,
  validateStatusUpdate: validateJobStatus,
  warnings: (job, old) =>
    old === undefined || isNewGeneration(job, old)
      ? [...nameWarnings(job, old), ...jobSpecWarnings(job.spec ?? {}, 'spec')]
      : [],
  columns,
  unknownField: (field) => `field label ${quote(field)} not supported for Job`,
  selectableFields: { 'status.successful': ({ status }) => String(status?.succeeded ?? 0) },
}
