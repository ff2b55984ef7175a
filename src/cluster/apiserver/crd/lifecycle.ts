// The life of definitions inside the server: their resources are served as soon as their names are accepted, and a
// definition that is deleted takes its objects with it before it goes. Runs as tasks on the world's clock after a
// write; keeps nothing but which definitions wait for one.

import { type AnyObject, isEqual } from '#objects'
import type { Entry } from '#store'
import type { Core } from '../core.ts'
import { setFinalizers, withMetadata } from '../object-meta.ts'
import { rewrite } from '../rewrite.ts'
import type { Served } from '../served.ts'
import { decideStatus, withCondition } from './conditions.ts'
import type { WebhookCaller } from './converter.ts'
import { deleteInstances } from './instances.ts'
import { servedVersions, storageVersion } from './serving.ts'
import { cleanupFinalizer, definitionBucket, isTrue, statusOf } from './spec.ts'
import { webhookCaller } from './webhook-caller.ts'

const definitionRef = { group: 'apiextensions.k8s.io', version: 'v1', resource: 'customresourcedefinitions' } as const
/** When a definition whose objects could not be deleted is tried again: twice as late each time. */
const firstRetryMs = 5
const lastRetryMs = 1_000_000

export class DefinitionLifecycle {
  readonly #core: Core
  readonly #caller: WebhookCaller
  readonly #waiting = new Set<string>()
  /** By definition: how often deleting its objects has failed. */
  readonly #failures = new Map<string, number>()
  #closed = false

  constructor(core: Core) {
    this.#core = core
    this.#caller = webhookCaller(core)
    core.onClose.add(() => {
      this.#closed = true
    })
  }

  /** Serves the definitions that a store already holds. */
  start(): void {
    for (const entry of this.#core.store.list(definitionBucket).entries) this.definitionWritten(entry, undefined)
  }

  definitionWritten(current: Entry | undefined, previous: Entry | undefined): void {
    const name = (current ?? previous)?.key ?? ''
    const served = current === undefined ? [] : servedVersions(current.value, this.#caller)
    this.#core.registry.setCustom(name, served)
    // Who watches has to begin anew, as with a real server, which then reads by other rules.
    if (current !== undefined && previous !== undefined && !isEqual(current.value['spec'], previous.value['spec']))
      this.#core.registry.redefined(name)
    if (current === undefined) this.#settleGroup()
    else this.#settle(name)
  }

  /** The last object of a deleted definition may have gone. */
  instanceGone({ custom, bucket }: Served): void {
    const name = custom?.definition.metadata.name
    if (name !== undefined && this.#core.store.count(bucket) === 0) this.#settle(name)
  }

  /** Names that became free may be what another definition waits for. */
  #settleGroup(): void {
    for (const { key } of this.#core.store.list(definitionBucket).entries) this.#settle(key)
  }

  #settle(name: string): void {
    if (this.#waiting.has(name)) return
    this.#waiting.add(name)
    this.#core.world.clock.soon(`definition ${name}`, () => {
      this.#waiting.delete(name)
      const entry = this.#core.store.get(definitionBucket, name)
      if (entry === undefined || this.#closed) return
      if (entry.value.metadata.deletionTimestamp === undefined) this.#accept(entry)
      else void this.#cleanUp(entry)
    })
  }

  #accept(entry: Entry): void {
    const others = this.#core.store.list(definitionBucket).entries.map(({ value }) => value)
    const status = decideStatus(entry.value, others, this.#core.timestamp())
    if (status !== statusOf(entry.value)) this.#write(entry, { ...entry.value, status })
  }

  async #cleanUp(entry: Entry): Promise<void> {
    if (entry.value.metadata.finalizers?.includes(cleanupFinalizer) !== true) return
    if (!isTrue(entry.value, 'Established'))
      return this.#finish(entry, 'NeverEstablished', 'resource was never established')
    const served = storageVersion(entry.value, this.#caller)
    if (served !== undefined && this.#core.store.count(served.bucket) > 0) {
      this.#condition(entry, 'True', 'InstanceDeletionInProgress', 'CustomResource deletion is in progress')
      const fault = await deleteInstances(this.#core, served)
      if (this.#closed) return
      if (fault !== undefined) return this.#tryAgain(entry.key, fault)
      if (this.#core.store.count(served.bucket) > 0) return
    }
    this.#failures.delete(entry.key)
    const latest = this.#core.store.get(definitionBucket, entry.key)
    if (latest !== undefined) this.#finish(latest, 'InstanceDeletionCompleted', 'removed all instances')
  }

  #tryAgain(name: string, fault: string): void {
    const entry = this.#core.store.get(definitionBucket, name)
    if (entry !== undefined) this.#condition(entry, 'True', 'InstanceDeletionFailed', fault)
    const failures = this.#failures.get(name) ?? 0
    this.#failures.set(name, failures + 1)
    const delay = Math.min(firstRetryMs * 2 ** failures, lastRetryMs)
    this.#core.world.clock.after(delay, `definition ${name} retry`, () => {
      if (!this.#closed) this.#settle(name)
    })
  }

  #condition(entry: Entry, status: 'True' | 'False', reason: string, message: string): Entry {
    const before = statusOf(entry.value)
    const conditions = withCondition(
      before.conditions ?? [],
      { type: 'Terminating', status, reason, message },
      this.#core.timestamp(),
    )
    return this.#write(entry, { ...entry.value, status: { ...before, conditions } })
  }

  /** All objects are gone: nothing of ours holds the definition any longer. */
  #finish(entry: Entry, reason: string, message: string): void {
    const left = (entry.value.metadata.finalizers ?? []).filter((finalizer) => finalizer !== cleanupFinalizer)
    const last = setFinalizers(entry.value, left)
    if (left.length > 0) {
      this.#condition(entry, 'False', reason, message)
      this.#write(this.#core.store.get(definitionBucket, entry.key) ?? entry, last)
      return
    }
    const event = this.#core.store.delete(definitionBucket, entry.key, entry.revision, (revision) =>
      withMetadata(last, { resourceVersion: String(revision) }),
    )
    const served = this.#core.registry.find(definitionRef)
    if (served !== undefined) this.#core.wrote(served, undefined, event.previous)
  }

  #write(entry: Entry, value: AnyObject): Entry {
    const served = this.#core.registry.find(definitionRef)
    return served === undefined ? entry : rewrite(this.#core, served, entry, value)
  }
}
