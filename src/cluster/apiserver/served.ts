// One served resource: its names, schema and rules, where its objects are kept, and how they are turned from and to the
// version they are kept in. Built-in resources come from the table of #kinds, custom ones from their definitions.

import type { ResourceRef } from '#api'
import type { ResourceInfo } from '#kinds'
import type { AnyObject, Schema } from '#objects'
import type { Priority } from './aggregation/priorities.ts'
import { type Soon, whenDone } from './soon.ts'
import type { Strategy } from './strategy.ts'

export interface Conversion {
  /** To the version that objects are kept in. Both return the same object when nothing changes; what comes is decoded. */
  toStored(object: AnyObject): AnyObject
  /** To the version that is served, from whatever version the object is in. */
  fromStored(object: AnyObject): AnyObject
  /**
   * Where a webhook converts: asks it, so that the functions above know what becomes of this very object. Asked `anew`
   * even if that is known.
   */
  ask?(object: AnyObject, form: 'stored' | 'served', anew: boolean): Soon<void>
}

/** What only custom resources have. */
export interface CustomDetails {
  readonly definition: AnyObject
  readonly listKind: string
  /** JSON paths of the scale subresource. */
  readonly scale?: {
    readonly specReplicasPath: string
    readonly statusReplicasPath: string
    readonly labelSelectorPath?: string
  }
  readonly deprecationWarning?: string
  /** The version that objects are kept in, if it is served. */
  readonly storageVersion?: string
  /** False while the definition's names are not accepted: objects can be read and deleted, not created. */
  readonly terminating: boolean
}

export interface Served {
  readonly info: ResourceInfo
  /** `apps/v1`. */
  readonly apiVersion: string
  /** `deployments.apps`: the store's bucket, shared by the versions of a resource. */
  readonly bucket: string
  readonly schema: Schema | undefined
  readonly strategy: Strategy
  /** Absent when objects are kept in this very version. */
  readonly conversion?: Conversion
  readonly custom?: CustomDetails
  /** Said to every client from outside who still uses this resource. */
  readonly deprecation?: string
}

export const keyOf = (served: Served, namespace: string | undefined, name: string): string =>
  served.info.namespaced ? `${namespace ?? ''}/${name}` : name

export const toStored = (served: Served, object: AnyObject): AnyObject =>
  served.conversion === undefined ? object : served.conversion.toStored(object)

/** Has an object turned into the version that is served, where that takes a webhook; then fromStored knows it. */
export const shown = (served: Served, object: AnyObject, anew = false): Soon<AnyObject> =>
  whenDone(served.conversion?.ask?.(object, 'served', anew), () => fromStored(served, object))

/** What is stored of an object that rules and admission have seen: see ruledForm. */
export function storedForm(served: Served, ruled: AnyObject): Soon<AnyObject> {
  if (served.custom === undefined) return ruled
  return whenDone(served.conversion?.ask?.(ruled, 'stored', true), () => toStored(served, ruled))
}

/** The form that rules and admission see of what comes in. */
export const incomingForm = (served: Served, object: AnyObject): AnyObject =>
  served.custom === undefined ? toStored(served, object) : object

/**
 * The form that rules see (columns, selectable fields, validation, admission): built-in kinds are known by the form they are kept
 * in, custom ones by the version that is asked for.
 */
export const ruledForm = (served: Served, stored: AnyObject): AnyObject =>
  served.custom === undefined ? stored : fromStored(served, stored)

/**
 * The kind that errors name: that of the group an object is kept in; for custom resources the one that the object says,
 * even if that is what is wrong with it.
 */
export function errorKind(
  { info, bucket, custom, conversion }: Served,
  object: AnyObject,
): { readonly group: string; readonly kind: string } {
  if (custom !== undefined) return { group: info.group, kind: object.kind }
  return conversion !== undefined && !bucket.includes('.') ? { group: '', kind: info.kind } : info
}

export const fromStored = (served: Served, object: AnyObject): AnyObject =>
  served.conversion === undefined ? object : served.conversion.fromStored(object)

const pathOf = (ref: ResourceRef): string => `${ref.group}/${ref.version}/${ref.resource}`

/** Where a group and version stand in discovery: the highest number first. */
export interface Rank {
  readonly group: string
  readonly version: string
  readonly priority: Priority
  /** Another server answers for it. */
  readonly isRemote: boolean
}

/** Every resource that is served now, by where requests name it and by where objects are kept. */
export class Registry {
  readonly #byPath = new Map<string, Served>()
  readonly #byRef = new WeakMap<ResourceRef, Served>()
  readonly #customNames = new Map<string, readonly Served[]>()
  readonly #redefinitions = new Map<string, Set<() => void>>()
  readonly #ranks = new Map<string, Rank>()
  #generation = 0
  #known = new WeakMap<ResourceRef, number>()

  /** Rises with every change: discovery documents are cached by it. */
  get generation(): number {
    return this.#generation
  }

  /** Loops ask with the same constant again and again, so that a reference is looked up once. */
  find(ref: ResourceRef): Served | undefined {
    if (this.#known.get(ref) === this.#generation) return this.#byRef.get(ref)
    const served = this.#byPath.get(pathOf(ref))
    this.#known.set(ref, this.#generation)
    if (served === undefined) this.#byRef.delete(ref)
    else this.#byRef.set(ref, served)
    return served
  }

  /** In the order of the table, custom resources at the end. */
  all(): Iterable<Served> {
    return this.#byPath.values()
  }

  add(served: Served): void {
    this.#byPath.set(pathOf(served.info), served)
    this.#generation++
  }

  rank(rank: Rank): void {
    this.#ranks.set(`${rank.group}/${rank.version}`, rank)
    this.#generation++
  }

  unrank({ group, version }: Rank): void {
    this.#ranks.delete(`${group}/${version}`)
    this.#generation++
  }

  rankOf(group: string, version: string): Rank | undefined {
    return this.#ranks.get(`${group}/${version}`)
  }

  ranks(): Iterable<Rank> {
    return this.#ranks.values()
  }

  customOf(definitionName: string): readonly Served[] {
    return this.#customNames.get(definitionName) ?? []
  }

  /** Serves exactly `versions` for one definition; an empty list takes it out. */
  setCustom(definitionName: string, versions: readonly Served[]): void {
    for (const old of this.customOf(definitionName)) this.#byPath.delete(pathOf(old.info))
    if (versions.length === 0) this.#customNames.delete(definitionName)
    else this.#customNames.set(definitionName, versions)
    for (const served of versions) this.#byPath.set(pathOf(served.info), served)
    this.#generation++
  }

  /** Calls `react` when the definition of what is kept in the bucket says something else. Returns how to stop that. */
  onRedefined(bucket: string, react: () => void): () => void {
    const reactions = this.#redefinitions.get(bucket) ?? new Set()
    this.#redefinitions.set(bucket, reactions)
    reactions.add(react)
    return () => {
      reactions.delete(react)
      if (reactions.size === 0) this.#redefinitions.delete(bucket)
    }
  }

  redefined(bucket: string): void {
    for (const react of [...(this.#redefinitions.get(bucket) ?? [])]) react()
  }
}
