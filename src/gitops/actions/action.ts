// What an action is, and what one amounts to. The shapes are those of Argo CD's REST interface.

import type { AnyObject } from '#objects'

export interface ResourceActionParameter {
  readonly name: string
  /** The value that changes nothing. */
  readonly default?: string
}

export interface ResourceAction {
  readonly name: string
  /** It has no use as the object is now. */
  readonly disabled?: boolean
  readonly displayName?: string
  /** Of Font Awesome, as Argo CD's pages draw it. */
  readonly iconClass?: string
  readonly params?: readonly ResourceActionParameter[]
}

export interface ActionRequest {
  readonly action: string
  readonly parameters: Readonly<Record<string, string>>
}

/** One object that an action changes (only the one that it was asked of) or creates, as it shall be. */
export interface Impact {
  readonly operation: 'patch' | 'create'
  readonly object: AnyObject
}

export type ActionFaultReason =
  /** There is no such action, or its parameters are wrong. */
  | 'invalid'
  /** As the object is, it has no use. */
  | 'disabled'
  /** A user's script failed, or returned what cannot be carried out. */
  | 'failed'
  /** The project does not allow what it would do. */
  | 'denied'

export class ActionFault extends Error {
  override readonly name = 'ActionFault'
  readonly reason: ActionFaultReason

  constructor(reason: ActionFaultReason, message: string) {
    super(message)
    this.reason = reason
  }
}
