// A whole cluster and reconciler in one World.
export * from './machine.ts'
