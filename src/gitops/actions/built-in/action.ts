// The shape of an action that comes with the house: pure functions of the object as it is.

import type { AnyObject } from '#objects'
import type { Impact, ResourceActionParameter } from '../action.ts'

export interface Asked {
  /** Every parameter of the action has a value. */
  readonly parameters: Readonly<Record<string, string>>
  /** World time. */
  readonly now: number
}

export interface BuiltInAction {
  readonly name: string
  readonly displayName: string
  readonly iconClass: string
  readonly isDisabled?: (object: AnyObject) => boolean
  readonly parameters?: (object: AnyObject) => readonly ResourceActionParameter[]
  /** Throws ActionFault for parameters that mean nothing. */
  readonly run: (object: AnyObject, asked: Asked) => readonly Impact[]
}

/** Spec of any kind: fields are checked by the API server when they are written. */
export const specOf = (object: AnyObject): Readonly<Record<string, unknown>> =>
  (object['spec'] as Readonly<Record<string, unknown>> | undefined) ?? {}

/** The object with these fields of its spec. */
export const patchSpec = (object: AnyObject, fields: object): readonly Impact[] => [
  { operation: 'patch', object: { ...object, spec: { ...specOf(object), ...fields } } },
]
