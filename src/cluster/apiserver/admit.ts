// Hands a write on its way through admission. The plug-ins run at once; only webhooks, where any are configured, make a
// write wait: then, and only then, a promise comes back.

import type { AdmissionRequest, Operation } from '#admission'
import type { Caller } from '#api'
import type { ResourceInfo } from '#kinds'
import type { AnyObject } from '#objects'
import type { Scope } from './scope.ts'

/** One write's way through admission. */
export interface Admission {
  /** The name that refusals say; a generated one is not known yet when objects are changed. */
  name: string
  /** The object as admission wants it stored. */
  mutate(object: AnyObject): AnyObject | Promise<AnyObject>
  /** Throws when admission refuses. `object` is undefined for a delete. */
  validate(object: AnyObject | undefined): void | Promise<void>
}

/** For writes that no plug-in has a word in. */
class NoAdmission implements Admission {
  name = ''
  mutate(object: AnyObject): AnyObject {
    return object
  }
  validate(): void {}
}

class AdmissionCall implements Admission, AdmissionRequest {
  readonly operation: Operation
  readonly resource: ResourceInfo
  readonly kind: ResourceInfo
  readonly subresource: string
  readonly namespace: string
  readonly old: AnyObject | undefined
  readonly dryRun: boolean
  readonly caller: Caller
  readonly options = undefined
  name: string
  object: AnyObject | undefined
  readonly #scope: Scope

  constructor(scope: Scope, operation: Operation, old: AnyObject | undefined, name: string) {
    const { info } = scope.served
    this.operation = operation
    this.resource = info
    this.kind = info
    this.subresource = scope.subresource
    this.namespace = info.namespaced ? (scope.namespace ?? '') : ''
    this.name = name
    this.object = undefined
    this.old = old
    this.dryRun = scope.dryRun
    this.caller = scope.request.caller
    this.#scope = scope
  }

  warn(text: string): void {
    this.#scope.warn(text)
  }

  mutate(object: AnyObject): AnyObject | Promise<AnyObject> {
    this.object = object
    return this.#scope.core.admission.mutate(this, object)
  }

  validate(object: AnyObject | undefined): void | Promise<void> {
    this.object = object
    return this.#scope.core.admission.validate(this)
  }
}

/** The way of one write; `old` is undefined for a create. */
export function admissionOf(scope: Scope, operation: Operation, old: AnyObject | undefined, name: string): Admission {
  const concerns = scope.subresource !== 'status' || scope.core.admission.isConfigured()
  return concerns ? new AdmissionCall(scope, operation, old, name) : new NoAdmission()
}
