// Addresses: of nodes, and of pods from the range of their node, given out in turn as host-local does. Who has one is read,
// not booked: a pod that the API still shows with it has it, and so has one that runs with it.

import type { Pod } from '#kinds'
import { isTerminalPhase } from '../status/phase.ts'

const podNetwork = 244

/** Address of the node with this number: 172.18.0.2 and on. */
export function nodeAddress(index: number): string {
  const host = index + 2
  return `172.${18 + Math.floor(host / 65536)}.${Math.floor(host / 256) % 256}.${host % 256}`
}

/** Range of the pods of a node: 10.244.0.0/24 and on; from the 257th node 10.129.0.0/24 and on. */
export function podRange(index: number): string {
  const block = Math.floor(index / 256)
  return `10.${block === 0 ? podNetwork : 128 + block}.${index % 256}.0/24`
}

/** Who may have an address of a node. */
export interface Holders {
  /** Its pods as the API shows them. */
  readonly shown: () => readonly Pod[]
  /** What something that runs there has, whatever the API shows. */
  readonly used: () => Iterable<string>
}

const [firstHost, lastHost] = [2, 254]

/** Hosts .2 to .254 of a /24. */
export class IpPool {
  readonly #prefix: string
  readonly #holders: Holders
  #last: number | undefined
  /** Who had one when that was read last, and who was given one since: nobody has any other. */
  #held: Set<number> | undefined

  constructor(range: string, holders: Holders) {
    this.#prefix = range.slice(0, range.lastIndexOf('.') + 1)
    this.#holders = holders
  }

  /** The range as host-local names it. */
  get span(): string {
    return `${this.#prefix}1-${this.#prefix}${lastHost}`
  }

  /** The next one that nobody has; undefined when there is none. */
  take(): string | undefined {
    // host-local notes on the node's disk which one it gave last. After a restart the youngest pod tells.
    let host = this.#last ?? this.#youngest()
    let isRead = false
    for (let tries = firstHost; tries <= lastHost; tries += 1) {
      host = host >= lastHost ? firstHost : host + 1
      if (this.#held?.has(host) !== false && !isRead) {
        this.#held = this.#read()
        isRead = true
      }
      if (this.#held?.has(host) === true) continue
      this.#held?.add(host)
      this.#last = host
      return `${this.#prefix}${host}`
    }
    return undefined
  }

  #read(): Set<number> {
    const held = new Set<number>()
    for (const pod of this.#holders.shown()) if (!isOver(pod)) this.#note(held, pod.status?.podIP)
    for (const ip of this.#holders.used()) this.#note(held, ip)
    return held
  }

  #note(held: Set<number>, ip: string | undefined): void {
    if (ip?.startsWith(this.#prefix) === true) held.add(Number(ip.slice(this.#prefix.length)))
  }

  #youngest(): number {
    let [last, since] = [firstHost - 1, '']
    for (const { status } of this.#holders.shown()) {
      const { podIP, startTime = '' } = status ?? {}
      if (podIP?.startsWith(this.#prefix) !== true) continue
      const host = Number(podIP.slice(this.#prefix.length))
      if (startTime < since || (startTime === since && host < last)) continue
      last = host
      since = startTime
    }
    return last
  }
}

const isOver = ({ status }: Pod): boolean => isTerminalPhase(status?.phase)
