// The containers of one pod: what runs (the truth) and what the kubelet saw at its last listing, kept apart as in a real
// kubelet. Records are replaced, never changed; a listing that finds something new asks for a sync.

import type { ContainerRecord, Sandbox } from '../containers/containers.ts'
import { type Agenda, Gate, rank } from '../ground/agenda.ts'
import { FewMap } from '../ground/few-map.ts'
import { nextBeat } from '../ground/timings.ts'
import type { Surroundings } from './surroundings.ts'

/** What the runtime has; replaced as a whole by what a listing finds. */
export interface Listing {
  readonly records: readonly ContainerRecord[]
  readonly sandbox: Sandbox | undefined
}

const openGate = new Gate()
openGate.open()

export abstract class RuntimeView {
  abstract readonly around: Surroundings
  abstract readonly agenda: Agenda
  records: readonly ContainerRecord[] = []
  sandbox: Sandbox | undefined
  seen: Listing = { records: this.records, sandbox: undefined }
  readonly #exits = new FewMap<Gate>()
  #listing = false

  /** Asks for a sync. */
  abstract trigger(): void
  protected abstract trafficChanged(): void

  /** Replaces one container by its next state, or adds a new one. */
  put(record: ContainerRecord): void {
    const known = this.records.some(({ id }) => id === record.id)
    this.records = known
      ? this.records.map((other) => (other.id === record.id ? record : other))
      : [record, ...this.records]
    if (record.state === 'exited') this.#exits.get(record.id)?.open()
    this.runtimeChanged()
  }

  /** Opens when the container has ended. */
  exitOf(id: string): Gate {
    if (this.record(id)?.state === 'exited') return openGate
    const gate = this.#exits.get(id) ?? new Gate()
    this.#exits.set(id, gate)
    return gate
  }

  record(id: string): ContainerRecord | undefined {
    return this.records.find((record) => record.id === id)
  }

  /** With a new sandbox a pod begins anew: what its init containers did before is forgotten. */
  purgeInit(): void {
    this.records = this.records.filter(({ kind }) => kind !== 'init')
  }

  /** The next listing will find something. */
  runtimeChanged(): void {
    this.trafficChanged()
    if (this.#listing) return
    this.#listing = true
    const { relistMs } = this.around.timings
    this.agenda.at(nextBeat(this.agenda.now, relistMs, this.around.node.listPhase), rank.listing, () => this.#list())
  }

  #list(): void {
    this.#listing = false
    if (this.around.runtimeTrouble() !== undefined) return
    const before = this.seen
    this.seen = { records: this.records, sandbox: this.sandbox }
    let news = (before.sandbox?.ready === true) !== (this.sandbox?.ready === true)
    for (const record of this.records) {
      const old = before.records.find(({ id }) => id === record.id)
      if (old?.state === record.state || record.state === 'created') continue
      news = true
      if (record.state === 'exited') this.#cleanUp(record)
    }
    if (news) this.trigger()
  }

  /** Of the dead containers of one name only the newest is kept. */
  #cleanUp({ name }: ContainerRecord): void {
    let dead = 0
    const kept = this.records.filter((record) => {
      if (record.name !== name || record.state !== 'exited') return true
      dead += 1
      return dead === 1
    })
    if (kept.length === this.records.length) return
    this.records = kept
    this.runtimeChanged()
  }
}
