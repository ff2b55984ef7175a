// Gives pods their nodes. `lastAttempt` says what was found at the last attempt for a pod, plug-in by plug-in.
export { parseSchedulerConfig } from './config/read-config.ts'
export type { Profile } from './profiles.ts'
export type { PlacementReport, RefusedNodes } from './reports.ts'
export { createScheduler, type Scheduler, type SchedulerOptions, schedulerLoops } from './scheduler.ts'
export type { NodeScores } from './scoring.ts'
