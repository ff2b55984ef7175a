// What an admission plug-in is: a name and up to two functions over one request. Plug-ins see other objects only through
// AdmissionState, which answers at once from the server's memory; they keep nothing between two requests but results
// cached by reference.

import { ApiError, type Caller, type ResourceRef, type StatusCause } from '#api'
import type { AccessAnswer, AccessQuery, Kind, Pod, ProfileWebhook, WebhookFailing } from '#kinds'
import type { AnyObject, Fields, KubeObject } from '#objects'
import type { World } from '#world'

export type Operation = 'CREATE' | 'UPDATE' | 'DELETE' | 'CONNECT'

export interface GroupVersionKind {
  readonly group: string
  readonly version: string
  readonly kind: string
}

/** One of the versions that a request's resource is served in, and what its objects are there. */
export interface Target {
  readonly resource: ResourceRef
  readonly kind: GroupVersionKind
}

export interface AdmissionRequest extends Target {
  readonly operation: Operation
  readonly subresource: string
  /** Empty for cluster-scoped objects. */
  readonly namespace: string
  /** Empty when the name is made of the object's generateName. */
  readonly name: string
  /** The name that refusals say: while it is still to be made, what it is made of. */
  readonly errorName: string
  /** What shall be stored, in the form that rules see: built-in kinds as they are kept, others in the version of the request. */
  readonly object: AnyObject | undefined
  /** What is stored now; undefined for a create. */
  readonly old: AnyObject | undefined
  readonly dryRun: boolean
  readonly caller: Caller
  /** Options of the request as an object (CreateOptions …). */
  readonly options: object
  warn(text: string): void
  /** Notes for the audit of the request. */
  annotate(key: string, value: string): void
}

/** What stands behind webhooks that are called through Services of the cluster. */
export interface WebhookNetwork {
  /** How calls of the webhook with this name fail at the moment, whatever it calls. */
  troubleOf(webhook: string): WebhookFailing | undefined
  /** What a call of this port of the pod meets. */
  knock(pod: Pod, port: number): Knocked
  /** How the server in this pod answers; undefined: it allows everything. */
  serverOf(pod: Pod): ProfileWebhook | undefined
}

/** `error`: somebody answers, with an HTTP status that says nothing of webhooks (it is what a readiness probe finds). */
export interface Knocked {
  readonly result: 'ok' | 'refused' | 'silent' | 'error'
}

export interface Permission extends Omit<AccessQuery, 'serviceAccount'> {
  readonly caller: Pick<Caller, 'user' | 'groups'>
}

export interface AdmissionState {
  readonly world: World
  /** Absent: nothing listens in any pod. */
  readonly network?: WebhookNetwork
  /** Whether webhooks may be called at an address outside of the cluster. */
  mayCall(address: URL): boolean
  get<T extends KubeObject>(kind: Kind<T>, namespace: string, name: string): T | undefined
  list<T extends KubeObject>(kind: Kind<T>, namespace?: string): readonly T[]
  /** The request's resource in the other versions and groups that it is served in. */
  equivalents(request: AdmissionRequest): readonly Target[]
  /** An object of the request as the target's version shows it. A promise only where a webhook converts. */
  present(object: AnyObject, target: Target, request: AdmissionRequest): AnyObject | Promise<AnyObject>
  /**
   * What became of a presented object, in the form of the request's objects: checked by its schema, with its defaults.
   * `before` is the object that was presented.
   */
  restore(
    shown: AnyObject,
    before: AnyObject,
    target: Target,
    request: AdmissionRequest,
  ): AnyObject | Promise<AnyObject>
  /** Writes the status of an object that was read here. */
  writeStatus<T extends KubeObject>(kind: Kind<T>, object: T): void
  /** The kind that `apiVersion` and `kind` of an object name, if it is served. */
  kindOf(apiVersion: string, kind: string): Kind | undefined
  /** Whether somebody may do something, which need not be what the request asks for. */
  decide(question: Permission): AccessAnswer
  /** How many there are, without making a list. */
  count(kind: Kind, namespace?: string): number
}

export interface AdmissionPlugin {
  readonly name: string
  /** `pods`, `persistentvolumeclaims`; absent for all resources. */
  readonly resources?: readonly string[]
  /** Works only where it is asked for, as in a kube-apiserver. */
  readonly isOptional?: boolean
  /** Returns the object to go on with: the same reference when there is nothing to change. Throws an ApiError to refuse. */
  readonly mutate?: (object: AnyObject, request: AdmissionRequest, state: AdmissionState) => AnyObject
  /** Validates when the webhooks have agreed: what it charges is then really made. */
  readonly isLast?: boolean
  /** What an AdmissionConfiguration may say of it: the kind in each version, and the plug-in that works by it. */
  readonly configuration?: {
    readonly versions: Readonly<Record<string, string>>
    readonly read: (fields: Fields) => AdmissionPlugin
  }
  /** Throws an ApiError to refuse. A promise only where a webhook has to convert what is judged. */
  readonly validate?: (request: AdmissionRequest, state: AdmissionState) => void | Promise<void>
}

const qualified = ({ resource }: AdmissionRequest): string =>
  resource.group === '' ? resource.resource : `${resource.resource}.${resource.group}`

/** 403 in the words of admission.NewForbidden. */
export function refuse(request: AdmissionRequest, why: string, causes?: readonly StatusCause[]): ApiError {
  const { errorName: name } = request
  const { group, resource } = request.resource
  return new ApiError({
    code: 403,
    reason: 'Forbidden',
    message: `${qualified(request)}${name === '' ? '' : ` ${JSON.stringify(name)}`} is forbidden: ${why}`,
    details: {
      ...(name === '' ? {} : { name }),
      ...(group === '' ? {} : { group }),
      kind: resource,
      ...(causes === undefined ? {} : { causes }),
    },
  })
}

export function missing(resource: string, name: string, group = ''): ApiError {
  return new ApiError({
    code: 404,
    reason: 'NotFound',
    message: `${resource}${group === '' ? '' : `.${group}`} ${JSON.stringify(name)} not found`,
    details: { name, ...(group === '' ? {} : { group }), kind: resource },
  })
}
