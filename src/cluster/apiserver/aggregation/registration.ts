// An APIService for each group and version that this server serves itself: those of built-in groups are made at start, those of
// definitions come and go with them and are kept as they should be. What all of them say of order goes to the registry.

import { APIService } from '#kinds'
import { type AnyObject, isEqual, type KubeObject } from '#objects'
import type { Entry } from '#store'
import type { Core } from '../core.ts'
import { definitionBucket, specOf } from '../crd/spec.ts'
import { ensureObject } from '../ensure-object.ts'
import { viewOf } from '../metrics/resources.ts'
import { withMetadata } from '../object-meta.ts'
import { rewrite } from '../rewrite.ts'
import type { Served } from '../served.ts'
import { builtInPriority, customPriority, type Priority } from './priorities.ts'

export const apiServiceBucket = 'apiservices.apiregistration.k8s.io'
const managedLabel = 'kube-aggregator.kubernetes.io/automanaged'

type Spec = NonNullable<APIService['spec']>

export const specOfService = (object: AnyObject): Partial<Spec> => (object['spec'] as Spec | undefined) ?? {}

export class ApiRegistration {
  readonly #core: Core
  #closed = false

  constructor(core: Core) {
    // However many there are, the numbers that others draw stay the same.
    this.#core = { ...core, random: core.random.fork('apiservices') }
    core.onClose.add(() => {
      this.#closed = true
    })
  }

  /** Makes those that are missing, and takes away those of definitions that went while the server was down. */
  start(): void {
    const { registry, store } = this.#core
    for (const served of registry.all()) {
      const { group, version } = served.info
      const priority = served.custom === undefined && viewOf(served) === undefined && builtInPriority(group, version)
      if (priority) this.#ensure(specFor(group, version, priority), 'onstart')
    }
    for (const { value } of store.list(definitionBucket).entries) this.#definition(value)
    for (const entry of store.list(apiServiceBucket).entries) {
      this.#rank(entry, undefined)
      this.#settle(entry.key)
    }
  }

  definitionWritten(current: Entry | undefined, previous: Entry | undefined): void {
    for (const entry of [previous, current]) if (entry !== undefined) this.#definition(entry.value)
  }

  /** Somebody wrote an APIService: what definitions ask for is put right again. */
  serviceWritten(current: Entry | undefined, previous: Entry | undefined): void {
    this.#rank(current, previous)
    const name = (current ?? previous)?.key ?? ''
    if (current !== undefined && current.value.metadata.labels?.[managedLabel] !== 'true') return
    if (current === undefined ? this.#wanted(name) === undefined : !this.#isWrong(current)) return
    this.#core.world.clock.soon(`apiservice ${name}`, () => {
      if (!this.#closed) this.#settle(name)
    })
  }

  #rank(current: Entry | undefined, previous: Entry | undefined): void {
    const { registry } = this.#core
    const of = (entry: Entry) => {
      const {
        group = '',
        version = '',
        groupPriorityMinimum = 0,
        versionPriority = 0,
        service,
      } = specOfService(entry.value)
      return {
        group,
        version,
        priority: { group: groupPriorityMinimum, version: versionPriority },
        isRemote: service !== undefined,
      }
    }
    if (previous !== undefined && current !== undefined && isEqual(previous.value['spec'], current.value['spec']))
      return
    if (previous !== undefined) registry.unrank(of(previous))
    if (current !== undefined) registry.rank(of(current))
  }

  #definition(definition: AnyObject): void {
    const { group, versions } = specOf(definition)
    for (const { name } of versions) this.#settle(`${name}.${group}`)
  }

  /** What a definition asks for under this name. */
  #wanted(name: string): Spec | undefined {
    const dot = name.indexOf('.')
    const [version, group] = [name.slice(0, dot), name.slice(dot + 1)]
    if (builtInPriority(group, version) !== undefined) return undefined
    const isServed = this.#core.store.list(definitionBucket).entries.some(({ value }) => {
      const spec = specOf(value)
      return spec.group === group && spec.versions.some((one) => one.name === version && one.served)
    })
    return isServed ? specFor(group, version, customPriority) : undefined
  }

  #isWrong({ key, value }: Entry): boolean {
    const wanted = this.#wanted(key)
    return wanted === undefined || !isEqual(wanted, value['spec'])
  }

  #settle(name: string): void {
    const { store } = this.#core
    const wanted = this.#wanted(name)
    const entry = store.get(apiServiceBucket, name)
    if (entry === undefined) {
      if (wanted !== undefined) this.#ensure(wanted, 'true')
      return
    }
    const served = this.#served()
    if (served === undefined || entry.value.metadata.labels?.[managedLabel] !== 'true' || !this.#isWrong(entry)) return
    if (wanted !== undefined) {
      rewrite(this.#core, served, entry, { ...entry.value, spec: wanted })
      return
    }
    const event = store.delete(entry.bucket, entry.key, entry.revision, (revision) =>
      withMetadata(entry.value, { resourceVersion: String(revision) }),
    )
    this.#core.wrote(served, undefined, event.previous)
  }

  #served = (): Served | undefined => this.#core.registry.find(APIService)

  #ensure(spec: Spec, managed: 'onstart' | 'true'): void {
    const metadata = { name: `${spec.version}.${spec.group ?? ''}`, labels: { [managedLabel]: managed } }
    ensureObject(this.#core, APIService, {
      apiVersion: 'apiregistration.k8s.io/v1',
      kind: 'APIService',
      metadata,
      spec,
    } as KubeObject)
  }
}

const specFor = (group: string, version: string, priority: Priority): Spec => ({
  ...(group === '' ? {} : { group }),
  version,
  groupPriorityMinimum: priority.group,
  versionPriority: priority.version,
})
