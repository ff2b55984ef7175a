// A whole cluster and reconciler in one World.
export { residentLoopNames } from './life.ts'
export * from './machine.ts'
export type { MachineOptions } from './options.ts'
export type { NodePlan, ResidentOptions, Residents } from './residents.ts'
