// A whole cluster and reconciler in one World.
export * from './machine.ts'
export type { NodePlan, ResidentOptions, Residents } from './residents.ts'
