// What users would have felt meanwhile: Services that had nobody to answer, and budgets that were broken. Follows objects
// by watch, and adds up for how long.

import type { Client } from '#client'
import { EndpointSlice, type Kind, PodDisruptionBudget } from '#kinds'
import { type KubeObject, objectKey } from '#objects'

export interface Disruption {
  readonly kind: 'Service' | 'PodDisruptionBudget'
  readonly namespace: string
  readonly name: string
  readonly seconds: number
  readonly message: string
}

interface Watched {
  readonly namespace: string
  readonly name: string
  isDown: boolean
  downSince: number
  downMs: number
  /** It was well once, so that being down is a loss. */
  wasUp: boolean
  lowest: number
}

export class Disruptions {
  readonly #now: () => number
  /** By Service. */
  readonly #slices = new Map<string, Map<string, EndpointSlice>>()
  readonly #services = new Map<string, Watched>()
  readonly #budgets = new Map<string, Watched & { wanted: number }>()

  constructor(now: () => number) {
    this.#now = now
  }

  /** Until the signal aborts. */
  follow(client: Client, signal: AbortSignal): Promise<unknown> {
    return Promise.all([
      followAll(client, { kind: EndpointSlice, signal }, (slice, isGone) => this.#slice(slice, isGone)),
      followAll(client, { kind: PodDisruptionBudget, signal }, (budget, isGone) => this.#budget(budget, isGone)),
    ])
  }

  /** What happened before does not count. */
  begin(): void {
    for (const each of [...this.#services.values(), ...this.#budgets.values()]) {
      each.wasUp = !each.isDown
      each.downMs = 0
      each.downSince = this.#now()
    }
  }

  /** Of those that are still there. */
  list(): readonly Disruption[] {
    const found: Disruption[] = []
    for (const { namespace, name, ...each } of [...this.#services.values()].sort(byName)) {
      const seconds = this.#secondsOf(each)
      const message = each.isDown ? 'no endpoint is ready any more' : `no endpoint was ready for ${seconds} s`
      if (seconds > 0) found.push({ kind: 'Service', namespace, name, seconds, message })
    }
    for (const { namespace, name, wanted, lowest, ...each } of [...this.#budgets.values()].sort(byName)) {
      const seconds = this.#secondsOf(each)
      const howLong = each.isDown ? 'to the end' : `for ${seconds} s`
      const message = `only ${lowest} of the ${wanted} pods that it wants were healthy, ${howLong}`
      if (seconds > 0) found.push({ kind: 'PodDisruptionBudget', namespace, name, seconds, message })
    }
    return found
  }

  #secondsOf({ wasUp, downMs, isDown, downSince }: Pick<Watched, 'wasUp' | 'downMs' | 'isDown' | 'downSince'>): number {
    if (!wasUp) return 0
    return Math.round((downMs + (isDown ? this.#now() - downSince : 0)) / 1000)
  }

  #slice(slice: EndpointSlice, isGone: boolean): void {
    const service = slice.metadata.labels?.['kubernetes.io/service-name']
    if (service === undefined) return
    const { namespace = '' } = slice.metadata
    const key = `${namespace}/${service}`
    const own = this.#slices.get(key) ?? new Map<string, EndpointSlice>()
    if (isGone) own.delete(objectKey(slice))
    else own.set(objectKey(slice), slice)
    if (own.size === 0) {
      // Its Service has gone, which is no loss of readiness.
      this.#slices.delete(key)
      this.#services.delete(key)
      return
    }
    this.#slices.set(key, own)
    const ready = [...own.values()]
      .flatMap(({ endpoints }) => endpoints ?? [])
      .filter(({ conditions }) => conditions?.ready !== false)
    const watched = this.#services.get(key) ?? fresh(namespace, service, this.#now())
    this.#services.set(key, watched)
    this.#note(watched, { isDown: ready.length === 0, count: ready.length })
  }

  #budget(budget: PodDisruptionBudget, isGone: boolean): void {
    const { namespace = '', name = '' } = budget.metadata
    const key = objectKey(budget)
    if (isGone) {
      this.#budgets.delete(key)
      return
    }
    const { currentHealthy = 0, desiredHealthy = 0 } = budget.status ?? {}
    const watched = this.#budgets.get(key) ?? { ...fresh(namespace, name, this.#now()), wanted: desiredHealthy }
    watched.wanted = desiredHealthy
    this.#budgets.set(key, watched)
    this.#note(watched, { isDown: currentHealthy < desiredHealthy, count: currentHealthy })
  }

  #note(watched: Watched, { isDown, count }: { readonly isDown: boolean; readonly count: number }): void {
    const now = this.#now()
    if (isDown) watched.lowest = Math.min(watched.isDown ? watched.lowest : Number.POSITIVE_INFINITY, count)
    if (isDown === watched.isDown) return
    if (watched.isDown) watched.downMs += now - watched.downSince
    watched.isDown = isDown
    watched.downSince = now
  }
}

const fresh = (namespace: string, name: string, now: number): Watched => ({
  ...{ namespace, name, isDown: false, downSince: now, downMs: 0, wasUp: false, lowest: 0 },
})

const byName = (a: Watched, b: Watched): number => {
  const [left, right] = [`${a.namespace}/${a.name}`, `${b.namespace}/${b.name}`]
  return left < right ? -1 : left > right ? 1 : 0
}

async function followAll<T extends KubeObject>(
  client: Client,
  { kind, signal }: { readonly kind: Kind<T>; readonly signal: AbortSignal },
  take: (object: T, isGone: boolean) => void,
): Promise<void> {
  const { items, resourceVersion } = await client.list(kind)
  for (const item of items) take(item, false)
  for await (const batch of await client.watch(kind, { resourceVersion, signal }))
    for (const { type, object } of batch)
      if (type === 'ADDED' || type === 'MODIFIED' || type === 'DELETED') take(object, type === 'DELETED')
}
