// Warnings for Jobs and for the job templates of CronJobs (pkg/api/job/warnings.go).

import type { JobSpec } from '../generated/types.ts'
import { templateWarnings } from '../podspec/warnings.ts'

const [manyCompletions, manyAtOnce] = [100_000, 10_000]

export function jobSpecWarnings(spec: Partial<JobSpec>, path: string): readonly string[] {
  const { completionMode, completions = 0, parallelism = 0, template } = spec
  const isHuge = completionMode === 'Indexed' && completions > manyCompletions && parallelism > manyAtOnce
  return [
    ...(isHuge
      ? [
          `${path}: In Indexed Jobs with a number of completions higher than 10^5 and a parallelism higher than 10^4, Kubernetes might not be able to track completedIndexes when a big number of indexes fail`,
        ]
      : []),
    ...templateWarnings(template, `${path}.template`),
  ]
}
