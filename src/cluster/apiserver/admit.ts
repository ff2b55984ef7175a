// Hands a write on its way through admission. The plug-ins run at once; only webhooks, where any are configured, make a
// write wait: then, and only then, a promise comes back.

import type { AdmissionRequest, GroupVersionKind, Operation } from '#admission'
import type { Caller } from '#api'
import type { ResourceInfo } from '#kinds'
import type { AnyObject } from '#objects'
import type { Scope } from './scope.ts'
import { type Soon, whenDone } from './soon.ts'
import { optionsOf } from './write-options.ts'

/** One write's way through admission. */
export interface Admission {
  /** The name that refusals say; a generated one is not known yet when objects are changed. */
  errorName: string
  /** The object as admission wants it stored. */
  mutate(object: AnyObject): AnyObject | Promise<AnyObject>
  /** What a request without an object goes through before it is validated: a delete. */
  mutateNothing(): void | Promise<void>
  /** Throws when admission refuses. `object` is undefined for a delete. */
  validate(object: AnyObject | undefined): void | Promise<void>
}

/** For writes that no plug-in has a word in. */
class NoAdmission implements Admission {
  errorName = ''
  mutate(object: AnyObject): AnyObject {
    return object
  }
  mutateNothing(): void {}
  validate(): void {}
}

class AdmissionCall implements Admission, AdmissionRequest {
  readonly operation: Operation
  readonly resource: ResourceInfo
  readonly subresource: string
  readonly namespace: string
  readonly name: string
  readonly old: AnyObject | undefined
  readonly dryRun: boolean
  readonly caller: Caller
  errorName: string
  object: AnyObject | undefined
  readonly #scope: Scope

  constructor(scope: Scope, operation: Operation, old: AnyObject | undefined, name: string) {
    const { info } = scope.served
    this.operation = operation
    this.resource = info
    this.subresource = scope.subresource
    this.namespace = info.namespaced ? (scope.namespace ?? '') : ''
    this.name = name
    this.errorName = name
    this.object = undefined
    this.old = old
    this.dryRun = scope.dryRun
    this.caller = scope.request.caller
    this.#scope = scope
  }

  get kind(): GroupVersionKind {
    return kindOf(this.resource, this.subresource)
  }

  get options(): object {
    return optionsOf(this.#scope, this.operation)
  }

  warn(text: string): void {
    this.#scope.warn(text)
  }

  annotate(key: string, value: string): void {
    this.#scope.request.annotate?.(key, value)
  }

  mutate(object: AnyObject): AnyObject | Promise<AnyObject> {
    this.object = object
    return this.#scope.core.admission.mutate(this, object)
  }

  mutateNothing(): void | Promise<void> {
    this.object = undefined
    return this.#scope.core.admission.mutateNothing(this)
  }

  validate(object: AnyObject | undefined): void | Promise<void> {
    this.object = object
    return this.#scope.core.admission.validate(this)
  }
}

/** What is sent to a resource, or to one of its subresources. */
export function kindOf(info: ResourceInfo, subresource: string): GroupVersionKind {
  const found = subresource === '' ? undefined : info.subresources.find(({ name }) => name === subresource)
  if (found === undefined) return info
  return found.version === '' ? { group: info.group, version: info.version, kind: found.kind } : found
}

/** A kubelet from outside may write the status of what is not on its node; those in process do not. */
const isForeignNode = ({ request: { accept, caller } }: Scope): boolean =>
  accept !== undefined && caller.user.startsWith('system:node:')

/** The way of one write; `old` is undefined for a create. */
export function admissionOf(scope: Scope, operation: Operation, old: AnyObject | undefined, name: string): Admission {
  const concerns = scope.subresource !== 'status' || scope.core.admission.isConfigured() || isForeignNode(scope)
  return concerns ? new AdmissionCall(scope, operation, old, name) : new NoAdmission()
}

/**
 * A request for a subresource that makes something of what it is sent, which is no object of the store. `prepare` is what
 * the subresource itself says of it before it is validated.
 */
export function admitBody(
  scope: Scope,
  operation: 'CREATE' | 'CONNECT',
  body: AnyObject,
  prepare: (body: AnyObject) => AnyObject = asItIs,
): Soon<AnyObject> {
  const admission = admissionOf(scope, operation, undefined, scope.name)
  return whenDone(admission.mutate(body), (mutated) => {
    const admitted = prepare(mutated)
    const validated = admission.validate(admitted)
    return validated === undefined ? admitted : validated.then(() => admitted)
  })
}

const asItIs = (body: AnyObject): AnyObject => body
