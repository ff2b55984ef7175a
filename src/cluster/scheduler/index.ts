// Gives pods their nodes. `lastAttempt` says what was found at the last attempt for a pod, plug-in by plug-in.
export type { NodeScores } from './cycle.ts'
export type { Profile } from './profiles.ts'
export type { AttemptReport, NodeReport } from './reports.ts'
export { createScheduler, type Scheduler, type SchedulerOptions, schedulerLoops } from './scheduler.ts'
