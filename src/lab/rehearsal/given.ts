// What is in the cluster before anything is synced: what a real one has that no repository says (definitions of operators,
// Secrets, namespaces). Applied as kubectl does it, what others stand on first.

import { type Client, findKindNamed } from '#client'
import { type AnyObject, groupOf } from '#objects'
import type { SimulatedWorld } from '#world'
import { UsageError } from '../scenario-error.ts'

interface Around {
  readonly world: SimulatedWorld
  readonly ask: <T>(work: (client: Client) => Promise<T>) => Promise<T>
}

const first: readonly string[] = ['CustomResourceDefinition', 'Namespace']
/** Definitions are served and namespaces have their service accounts by then. */
const pauseMs = 2000

/** Throws UsageError for kinds that nothing defines, ApiError for what the server refuses. */
export async function applyGiven({ world, ask }: Around, given: readonly AnyObject[]): Promise<void> {
  if (given.length === 0) return
  const [early, late] = [given.filter(isEarly), given.filter((object) => !isEarly(object))]
  for (const objects of [early, late]) {
    for (const object of objects) await ask((client) => applyOne(client, object))
    await world.advance(pauseMs)
  }
}

const isEarly = ({ kind }: AnyObject): boolean => first.includes(kind)

async function applyOne(client: Client, object: AnyObject): Promise<void> {
  const { kind: name, apiVersion, metadata } = object
  const group = groupOf(apiVersion)
  const kind = await findKindNamed(client, group === '' ? name.toLowerCase() : `${name.toLowerCase()}.${group}`)
  if (kind === undefined)
    throw new UsageError(`--with: no kind is called ${name} of ${apiVersion}: give its definition too`)
  const { namespace = 'default' } = metadata
  const placed = kind.namespaced ? { ...object, metadata: { ...metadata, namespace } } : object
  await client.apply(kind, placed, { fieldManager: 'kubectl', force: true })
}
