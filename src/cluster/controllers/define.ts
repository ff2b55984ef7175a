// Declares a controller of the kube-controller-manager, or of what stands beside it: a loop with the user and manager that
// the real one has. Every controller's folder uses it; it decides nothing.

import type { LoopDefinition } from '#reconcile'

export interface ControllerDefinition extends Omit<LoopDefinition, 'user' | 'manager' | 'workers'> {
  /** Service account in kube-system; default `<name>-controller`. */
  readonly account?: string
  /** Of the few that have no service account of their own. */
  readonly user?: string
  readonly workers?: number
  /** Who runs it, and so its field manager; default: the kube-controller-manager. */
  readonly manager?: string
}

/** Most controllers of the real manager run with five workers. */
const defaultWorkers = 5

export function defineController({ account, ...definition }: ControllerDefinition): LoopDefinition {
  return {
    workers: defaultWorkers,
    manager: 'kube-controller-manager',
    ...definition,
    user: definition.user ?? `system:serviceaccount:kube-system:${account ?? `${definition.name}-controller`}`,
  }
}
