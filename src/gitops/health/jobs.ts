// Health of Job and CronJob. Deviates from Argo CD on purpose: a condition counts only while its status is True, so that
// a Job that was suspended and resumed is not taken for a finished one.

import type { CronJob, Job } from '#kinds'
import { byCondition, degraded, type HealthRule, healthy, progressing, suspended } from './verdict.ts'

export const jobHealth: HealthRule = (object) => {
  const { status } = object as unknown as Job
  const found = (type: string) => status?.conditions?.find((each) => each.type === type && each.status === 'True')
  const failed = found('Failed')
  if (failed !== undefined) return degraded(byCondition(failed, 'the Job has failed'), failed.message)
  const complete = found('Complete')
  if (complete !== undefined) return healthy(byCondition(complete, 'the Job has completed'), complete.message)
  const stopped = found('Suspended')
  if (stopped !== undefined) return suspended(byCondition(stopped, 'the Job is suspended'), stopped.message)
  return progressing(['status.conditions', undefined, 'neither Complete nor Failed is True'])
}

export const cronJobHealth: HealthRule = (object) => {
  const { spec, status } = object as unknown as CronJob
  if (spec?.suspend === true) {
    return healthy(['spec.suspend', true, 'a suspended CronJob has nothing to do'], 'CronJob is Suspended')
  }
  if (status === undefined) return progressing(['status', undefined, 'not observed yet'])
  const { active, lastScheduleTime, lastSuccessfulTime } = status
  if (active !== undefined && active.length > 0) {
    return healthy(['status.active', active.length, 'Jobs are running'], 'The job is running')
  }
  if (lastScheduleTime === undefined) {
    return healthy(['status.lastScheduleTime', undefined, 'never due so far'], 'CronJob has not been scheduled yet')
  }
  if (lastSuccessfulTime === undefined) {
    return healthy(
      ['status.lastSuccessfulTime', undefined, 'no Job has finished with success yet'],
      'CronJob has been scheduled but never completed',
    )
  }
  if (Date.parse(lastSuccessfulTime) < Date.parse(lastScheduleTime)) {
    return degraded(
      ['status.lastSuccessfulTime', lastSuccessfulTime, `before status.lastScheduleTime (${lastScheduleTime})`],
      'CronJob has not completed its last execution successfully',
    )
  }
  return healthy(['status.lastSuccessfulTime', lastSuccessfulTime, 'not before status.lastScheduleTime'])
}
