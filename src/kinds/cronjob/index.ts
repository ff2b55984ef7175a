// CronJob (batch/v1).

import { type FieldError, invalid, notSupported, required } from '../field-error.ts'
import { CronJob, type CronJobSpec, type JobSpec, type JobTemplateSpec } from '../generated/types.ts'
import { checkJobSpec } from '../job/validate.ts'
import { jobSpecWarnings } from '../job/warnings.ts'
import type { Column, KindRules } from '../kind.ts'
import { templateDefaults } from '../podspec/defaults.ts'
import { formatSelector } from '../selector/format.ts'
import { printableSelector } from '../selector/validate.ts'
import { withDefaults } from '../sharing.ts'
import { ageColumn, containerColumns, integer, nameColumn, optionalBoolean, text, wide } from '../table/columns.ts'
import { age } from '../table/duration.ts'
import { checkNonNegative } from '../workload/selector.ts'
import { isNewGeneration, nameWarnings } from '../workload/warnings.ts'
import { parseSchedule, ScheduleError } from './schedule.ts'
import { isTimeZone } from './time-zone.ts'

export { ScheduleError } from './schedule.ts'
export { type ScheduleTimes, scheduleOf } from './schedule-times.ts'
export { zoneOffsetMs } from './time-zone.ts'

// Jobs are named after the CronJob with eleven more characters.
const maxNameLength = 52

function defaults(cronJob: CronJob): CronJob {
  const spec = cronJob.spec ?? ({} as CronJobSpec)
  return withDefaults(cronJob, {
    spec: withDefaults(spec, {
      concurrencyPolicy: spec.concurrencyPolicy || 'Allow',
      suspend: spec.suspend ?? false,
      successfulJobsHistoryLimit: spec.successfulJobsHistoryLimit ?? 3,
      failedJobsHistoryLimit: spec.failedJobsHistoryLimit ?? 1,
      jobTemplate: jobTemplateDefaults(spec.jobTemplate ?? {}),
    }),
  })
}

function jobTemplateDefaults(template: JobTemplateSpec): JobTemplateSpec {
  const spec = template.spec ?? ({} as NonNullable<JobTemplateSpec['spec']>)
  return withDefaults(template, {
    metadata: template.metadata ?? {},
    spec: withDefaults(spec, { template: templateDefaults(spec.template) }),
  })
}

function checkSpec(spec: CronJobSpec, old: CronJobSpec | undefined, errors: FieldError[]): void {
  if (!spec.schedule) errors.push(required('spec.schedule'))
  else checkSchedule(spec, old?.schedule.includes('TZ') === true, errors)
  checkNonNegative(spec.startingDeadlineSeconds, 'spec.startingDeadlineSeconds', errors)
  if (old === undefined || old.timeZone !== spec.timeZone) checkTimeZone(spec.timeZone, errors)
  const policy: string = spec.concurrencyPolicy ?? ''
  const policies = ['Allow', 'Forbid', 'Replace']
  if (policy === '') errors.push(required('spec.concurrencyPolicy'))
  else if (!policies.includes(policy)) errors.push(notSupported('spec.concurrencyPolicy', policy, policies))
  if (spec.jobTemplate?.spec !== undefined) checkJobTemplate(spec.jobTemplate.spec, 'spec.jobTemplate.spec', errors)
  checkNonNegative(spec.successfulJobsHistoryLimit, 'spec.successfulJobsHistoryLimit', errors)
  checkNonNegative(spec.failedJobsHistoryLimit, 'spec.failedJobsHistoryLimit', errors)
}

/** Selectors are made for each Job. */
function checkJobTemplate(spec: JobSpec, path: string, errors: FieldError[]): void {
  checkJobSpec(spec, path, errors)
  if (spec.selector != null)
    errors.push(invalid(`${path}.selector`, printableSelector(spec.selector), '`selector` will be auto-generated'))
  if (spec.manualSelector === true) errors.push(notSupported(`${path}.manualSelector`, true, ['nil', 'false']))
}

/** A zone in the schedule itself is let be where it has always been. */
function checkSchedule({ schedule, timeZone }: CronJobSpec, hadZone: boolean, errors: FieldError[]): void {
  try {
    parseSchedule(schedule)
  } catch (error) {
    if (!(error instanceof ScheduleError)) throw error
    errors.push(invalid('spec.schedule', schedule, error.message))
  }
  if (!schedule.includes('TZ')) return
  if (!hadZone)
    errors.push(invalid('spec.schedule', schedule, 'cannot use TZ or CRON_TZ in schedule, use timeZone field instead'))
  else if (timeZone !== undefined)
    errors.push(invalid('spec.schedule', schedule, 'cannot use both timeZone field and TZ or CRON_TZ in schedule'))
}

const isZonePart = (part: string): boolean =>
  part !== '.' && part !== '..' && !part.startsWith('-') && /^[A-Za-z._0-9+-]{1,14}$/.test(part)

function checkTimeZone(zone: string | undefined, errors: FieldError[]): void {
  if (zone === undefined) return
  const path = 'spec.timeZone'
  if (zone === '') {
    errors.push(invalid(path, zone, 'timeZone must be nil or non-empty string'))
    return
  }
  if (!zone.split('/').every(isZonePart)) {
    errors.push(invalid(path, zone, `unknown time zone ${zone}`))
    return
  }
  if (zone.toLowerCase() === 'local')
    errors.push(
      invalid(path, zone, 'timeZone must be an explicit time zone as defined in https://www.iana.org/time-zones'),
    )
  if (zone !== 'Local' && zone !== 'UTC' && !isTimeZone(zone))
    errors.push(invalid(path, zone, `unknown time zone ${zone}`))
}

function specFaults({ spec }: CronJob, old: CronJob | undefined): readonly FieldError[] {
  const errors: FieldError[] = []
  checkSpec(spec ?? ({} as CronJobSpec), old?.spec, errors)
  return errors
}

function validate(cronJob: CronJob): readonly FieldError[] {
  const { name = '' } = cronJob.metadata
  const tooLong = name.length > maxNameLength
  return [
    ...specFaults(cronJob, undefined),
    ...(tooLong ? [invalid('metadata.name', name, `must be no more than ${maxNameLength} characters`)] : []),
  ]
}

function warnings(cronJob: CronJob, old: CronJob | undefined): readonly string[] {
  const isNew = old === undefined || isNewGeneration(cronJob, old)
  const { schedule = '', jobTemplate } = cronJob.spec ?? {}
  return [
    ...nameWarnings(cronJob, old),
    ...(isNew ? jobSpecWarnings(jobTemplate?.spec ?? {}, 'spec.jobTemplate.spec') : []),
    // A new one is refused.
    ...(old !== undefined && schedule.includes('TZ')
      ? [
          'cannot use TZ or CRON_TZ in spec.spec.schedule, use timeZone instead, see https://kubernetes.io/docs/concepts/workloads/controllers/cron-jobs/ for more details',
        ]
      : []),
  ]
}

const columns: readonly Column<CronJob>[] = [
  nameColumn,
  text(
    'Schedule',
    'The schedule in Cron format, see https://en.wikipedia.org/wiki/Cron.',
    ({ spec }) => spec?.schedule ?? '',
  ),
  text(
    'Timezone',
    'The time zone name for the given schedule, see https://en.wikipedia.org/wiki/List_of_tz_database_time_zones. If not specified, this will default to the time zone of the kube-controller-manager process. The set of valid time zone names and the time zone offset is loaded from the system-wide time zone database by the API server during CronJob validation and the controller manager during execution. If no system-wide time zone database can be found a bundled version of the database is used instead. If the time zone name becomes invalid during the lifetime of a CronJob or due to a change in host configuration, the controller will stop creating new new Jobs and will create a system event with the reason UnknownTimeZone. More information can be found in https://kubernetes.io/docs/concepts/workloads/controllers/cron-jobs/#time-zones',
    ({ spec }) => spec?.timeZone ?? '<none>',
  ),
  {
    name: 'Suspend',
    type: 'boolean',
    description:
      'This flag tells the controller to suspend subsequent executions, it does not apply to already started executions.  Defaults to false.',
    cell: ({ spec }) => optionalBoolean(spec?.suspend),
  },
  integer('Active', 'A list of pointers to currently running jobs.', ({ status }) => (status?.active ?? []).length),
  text('Last Schedule', 'Information when was the last time the job was successfully scheduled.', ({ status }, now) =>
    status?.lastScheduleTime == null ? '<none>' : age(status.lastScheduleTime as string, now),
  ),
  ageColumn,
  ...containerColumns<CronJob>(({ spec }) => spec?.jobTemplate?.spec?.template).map(wide),
  wide(
    text(
      'Selector',
      'A label query over pods that should match the pod count. Normally, the system sets this field for you. More info: https://kubernetes.io/docs/concepts/overview/working-with-objects/labels/#label-selectors',
      ({ spec }) => formatSelector(spec?.jobTemplate?.spec?.selector),
    ),
  ),
]

export const cronJobRules: KindRules<CronJob> = {
  kind: CronJob,
  defaults,
  validate,
  validateUpdate: specFaults,
  warnings,
  columns,
}
