// Leader election with a Lease, by two contenders that know of each other only by it: one leads at a time, and the other
// takes over when that one is silent for as long as it had promised to renew.
import { ApiException, CoordinationV1Api, type KubeConfig, type V1Lease, V1MicroTime } from '@kubernetes/client-node'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type ClientServer, openServer } from './server.ts'

const place = { name: 'controller', namespace: 'default' }
const durationSeconds = 1

let server: ClientServer
beforeAll(async () => {
  server = await openServer()
})
afterAll(() => server.close())

const codeOf = (error: unknown): number => {
  if (error instanceof ApiException) return error.code
  throw error
}

/** As client-go does: whoever writes first wins, a conflict is no error, and expiry is measured by one's own clock. */
class Contender {
  readonly #api: CoordinationV1Api
  readonly #identity: string
  readonly #conflicts: string[]
  #seen: { readonly version: string | undefined; readonly at: number } | undefined

  constructor(config: KubeConfig, identity: string, conflicts: string[]) {
    this.#api = config.makeApiClient(CoordinationV1Api)
    this.#identity = identity
    this.#conflicts = conflicts
  }

  /** Whether it leads after having tried. */
  async try(): Promise<boolean> {
    const lease = await this.#api.readNamespacedLease(place).catch((error: unknown) => {
      if (codeOf(error) === 404) return undefined
      throw error
    })
    try {
      if (lease === undefined) {
        await this.#api.createNamespacedLease({ namespace: place.namespace, body: this.#claim() })
        return true
      }
      if (!this.#mayTake(lease)) return false
      await this.#api.replaceNamespacedLease({ ...place, body: this.#claim(lease) })
      return true
    } catch (error) {
      expect(codeOf(error)).toBe(409)
      this.#conflicts.push(this.#identity)
      return false
    }
  }

  #mayTake({ metadata, spec }: V1Lease): boolean {
    if (spec?.holderIdentity === this.#identity || !spec?.holderIdentity) return true
    if (this.#seen?.version !== metadata?.resourceVersion)
      this.#seen = { version: metadata?.resourceVersion, at: performance.now() }
    return performance.now() - (this.#seen?.at ?? 0) > (spec.leaseDurationSeconds ?? 0) * 1000
  }

  #claim(old?: V1Lease): V1Lease {
    const now = new V1MicroTime()
    const holds = old?.spec?.holderIdentity === this.#identity
    const transitions = old?.spec?.leaseTransitions ?? 0
    return {
      metadata: old?.metadata ?? { name: place.name },
      spec: {
        holderIdentity: this.#identity,
        leaseDurationSeconds: durationSeconds,
        acquireTime: (holds ? old?.spec?.acquireTime : undefined) ?? now,
        renewTime: now,
        leaseTransitions: old === undefined || holds ? transitions : transitions + 1,
      },
    }
  }
}

describe('leader election', () => {
  it('has one leader at a time, and another when that one is silent', async () => {
    const conflicts: string[] = []
    const a = new Contender(server.config, 'a', conflicts)
    const b = new Contender(server.config, 'b', conflicts)
    const first = await Promise.all([a.try(), b.try()])
    expect(first.filter((leads) => leads)).toHaveLength(1)
    const [leader, other] = first[0] ? [a, b] : [b, a]
    expect(await leader.try()).toBe(true)
    expect(await other.try()).toBe(false)
    // Renewed in time, it is not taken, however long it takes.
    const renewing = setInterval(() => void leader.try(), 100)
    const endsAt = performance.now() + durationSeconds * 1500
    while (performance.now() < endsAt) expect(await other.try()).toBe(false)
    clearInterval(renewing)
    await expect.poll(() => other.try(), { timeout: 10_000 }).toBe(true)
    expect(await leader.try()).toBe(false)
    const { spec } = await server.config.makeApiClient(CoordinationV1Api).readNamespacedLease(place)
    expect(spec).toMatchObject({ leaseTransitions: 1, leaseDurationSeconds: durationSeconds })
    expect(`${spec?.renewTime}`).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z$/)
  })

  it('lets only one of many win who start at the same time', async () => {
    await server.config.makeApiClient(CoordinationV1Api).deleteNamespacedLease(place)
    const conflicts: string[] = []
    const contenders = Array.from({ length: 10 }, (_, i) => new Contender(server.config, `c-${i}`, conflicts))
    const results = await Promise.all(contenders.map((contender) => contender.try()))
    expect(results.filter((leads) => leads)).toHaveLength(1)
    expect(conflicts.length + results.filter((leads) => leads).length).toBeLessThanOrEqual(10)
  })
})
