// What is broken around the nodes at the moment, as whoever breaks it has said last: storage that does not answer, nodes
// on which something else takes the room, networks that are not ready.

import { isEqual, matchesGlobs } from '#objects'
import type { StorageTrouble } from '../volumes/storage.ts'

export interface StorageOutage {
  /** Globs of kinds of storage, servers, drivers, volumes; default: all. */
  readonly storage?: readonly string[]
  readonly message?: string
}

export interface NodeShortage {
  readonly node: string
  /** Of which signal there is only so much left, as a quantity or a share. */
  readonly available: Readonly<Record<string, string>>
}

export interface NetworkTrouble {
  readonly node: string
  /** In the words of the runtime. */
  readonly reason?: string
  readonly message?: string
}

export interface RuntimeTrouble {
  readonly node: string
  /** What every call to the runtime gives. */
  readonly message?: string
}

/** Since when a node's runtime does not answer, and what calls to it give. */
export interface Silence {
  readonly since: number
  readonly message: string
}

const usualError =
  'rpc error: code = Unavailable desc = connection error: desc = "transport: Error while dialing: dial unix /run/containerd/containerd.sock: connect: no such file or directory"'
const usualReason = 'NetworkPluginNotReady'
const usualMessage = 'Network plugin returns error: cni plugin not initialized'

export class Troubles {
  /** Rises with every change. */
  version = 0
  #storage: readonly StorageOutage[] = []
  #shortages: readonly NodeShortage[] = []
  #networks: ReadonlyMap<string, string> = new Map()
  #runtimes: ReadonlyMap<string, Silence> = new Map()

  setStorage(outages: readonly StorageOutage[]): void {
    this.#storage = outages
    this.version += 1
  }

  /** Whether it is something else than before. */
  setShortages(shortages: readonly NodeShortage[]): boolean {
    if (isEqual(shortages, this.#shortages)) return false
    this.#shortages = shortages
    this.version += 1
    return true
  }

  /** Answers the nodes whose network has just failed. */
  setNetworks(troubles: readonly NetworkTrouble[]): readonly string[] {
    const before = this.#networks
    if (troubles.length + before.size === 0) return []
    this.#networks = new Map(
      troubles.map(({ node, reason = usualReason, message = usualMessage }) => [
        node,
        `container runtime network not ready: NetworkReady=false reason:${reason} message:${message}`,
      ]),
    )
    this.version += 1
    return [...this.#networks.keys()].filter((node) => !before.has(node))
  }

  /** Answers the nodes for which that is something else than before. */
  setRuntimes(troubles: readonly RuntimeTrouble[], now: number): readonly string[] {
    const before = this.#runtimes
    if (troubles.length + before.size === 0) return []
    this.#runtimes = new Map(
      troubles.map(({ node, message = usualError }) => [node, { since: before.get(node)?.since ?? now, message }]),
    )
    this.version += 1
    const names = new Set([...before.keys(), ...this.#runtimes.keys()])
    return [...names].filter((name) => before.has(name) !== this.#runtimes.has(name))
  }

  runtimeOf(node: string): Silence | undefined {
    return this.#runtimes.size === 0 ? undefined : this.#runtimes.get(node)
  }

  /** Why pods on a node get no network; undefined where they do. */
  networkOf(node: string): string | undefined {
    return this.#networks.size === 0 ? undefined : this.#networks.get(node)
  }

  readonly ofStorage = (names: readonly string[]): StorageTrouble | undefined =>
    this.#storage.find(({ storage }) => names.some((name) => matchesGlobs(storage, name)))

  shortagesOn(node: string): readonly NodeShortage[] {
    return this.#shortages.length === 0 ? this.#shortages : this.#shortages.filter((one) => one.node === node)
  }
}
