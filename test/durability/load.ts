// Writers that remember what the server has acknowledged, and a comparison of that with what is there after a crash.
// Every writer has names of its own and writes them one after the other, so that of a name at most one write is in doubt.

import { type Client, createClient, httpHandler, readKubeconfigFile } from '#client'
import { ConfigMap } from '#kinds'
import type { Random } from '#world'

type State = string | undefined

interface Name {
  /** What the last acknowledged write left: a value, or undefined when it is gone. */
  acknowledged: State
  /** The write that was under way when the server died. */
  doubtful: { readonly state: State } | undefined
  revision: string
}

export interface Ledger {
  readonly names: Map<string, Name>
  /** The highest revision that any answer named. */
  highest: number
  writes: number
}

export const newLedger = (): Ledger => ({ names: new Map(), highest: 0, writes: 0 })

export interface Connection {
  readonly client: Client
  close(): void
}

export function connect(kubeconfig: string): Connection {
  const handler = httpHandler(readKubeconfigFile(kubeconfig))
  const client = createClient(handler, { user: '', groups: [], userAgent: 'durability-test' })
  return { client, close: () => handler.close() }
}

/** Writes until `signal` aborts or the server is gone. */
export async function writer(client: Client, ledger: Ledger, options: WriterOptions): Promise<void> {
  for (let i = 0; !options.signal.aborted; i += 1) {
    const name = `w${options.number}-${options.random.int(20)}`
    const entry = entryOf(ledger, name)
    const remove = entry.acknowledged !== undefined && options.random.next() < 0.2
    const state = remove ? undefined : `round ${options.round}, write ${i}`
    entry.doubtful = { state }
    try {
      await write(client, { name, entry, state, ledger })
    } catch {
      if (options.signal.aborted) return
      throw new Error(`${name} could not be written`)
    }
    entry.acknowledged = state
    entry.doubtful = undefined
    ledger.writes += 1
  }
}

export interface WriterOptions {
  readonly number: number
  readonly round: number
  readonly random: Random
  readonly signal: AbortSignal
}

function entryOf(ledger: Ledger, name: string): Name {
  const known = ledger.names.get(name)
  if (known !== undefined) return known
  const entry: Name = { acknowledged: undefined, doubtful: undefined, revision: '' }
  ledger.names.set(name, entry)
  return entry
}

interface Write {
  readonly name: string
  readonly entry: Name
  readonly state: State
  readonly ledger: Ledger
}

async function write(client: Client, { name, entry, state, ledger }: Write): Promise<void> {
  const ref = { namespace: 'default', name }
  if (state === undefined) {
    await client.delete(ConfigMap, ref)
    return
  }
  const object: ConfigMap = { apiVersion: 'v1', kind: 'ConfigMap', metadata: ref, data: { state } }
  const written =
    entry.acknowledged === undefined
      ? await client.create(ConfigMap, object)
      : await client.update(ConfigMap, { ...object, metadata: { ...ref, resourceVersion: entry.revision } })
  entry.revision = written.metadata.resourceVersion ?? ''
  ledger.highest = Math.max(ledger.highest, Number(entry.revision))
}

/** What differs from the ledger; afterwards the ledger says what is there. */
export async function compare(client: Client, ledger: Ledger): Promise<readonly string[]> {
  const list = await client.list(ConfigMap, { namespace: 'default' })
  const found = new Map(list.items.map((item) => [item.metadata.name ?? '', item]))
  const faults: string[] = []
  if (Number(list.resourceVersion) < ledger.highest)
    faults.push(`revision ${list.resourceVersion} after ${ledger.highest}`)
  for (const [name, entry] of ledger.names) {
    const object = found.get(name)
    const state = object?.data?.['state']
    const isExpected = state === entry.acknowledged || (entry.doubtful !== undefined && state === entry.doubtful.state)
    if (!isExpected) faults.push(`${name} is ${state}, acknowledged was ${entry.acknowledged}`)
    entry.acknowledged = state
    entry.doubtful = undefined
    entry.revision = object?.metadata.resourceVersion ?? ''
    ledger.highest = Math.max(ledger.highest, Number(entry.revision))
  }
  return faults
}
