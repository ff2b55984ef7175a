// Empties a namespace that is being deleted, pods first, and then lets it go.
// Reads: Namespaces, CustomResourceDefinitions, APIServices; everything in the namespace, from the server.
// Writes: everything in the namespace (delete), Namespace conditions and spec.finalizers.

import { isNotFound } from '#api'
import { APIService, CustomResourceDefinition, type Kind, Namespace, Pod } from '#kinds'
import { done, type Kit, type Outcome, requeueAfter, watching } from '#reconcile'
import { defineController } from '../define.ts'
import { messageOf } from '../pod-control.ts'
import { builtInKinds, customKinds } from '../resources.ts'
import {
  type ContentFailure,
  decideConditions,
  discoveryError,
  faultOf,
  graceOf,
  lookAgainMs,
  type Remainder,
  undiscoveredGroups,
} from './decide.ts'

const finalizer = 'kubernetes'
/** Until every API server has seen that nothing may be created there any more. */
const deletionGraceMs = 5000

export const namespaceController = defineController({
  name: 'namespace',
  reconciles: Namespace,
  watches: [
    watching(Namespace, ({ metadata }) => (metadata.deletionTimestamp === undefined ? [] : [metadata.name ?? '']), {
      batchMs: deletionGraceMs,
    }),
  ],
  reads: [CustomResourceDefinition, APIService],
  workers: 10,
  backoff: { firstMs: 5, maxMs: 60_000 },
  reconcile,
})

async function reconcile(name: string, kit: Kit): Promise<Outcome> {
  const namespace = kit.cache.get(Namespace, name)
  if (namespace === undefined || namespace.metadata.deletionTimestamp === undefined) return done()
  if (!(namespace.spec.finalizers ?? []).includes(finalizer)) return done()
  const undiscovered = undiscoveredGroups(kit.cache.list(APIService))
  const { pods, remainders, failures } = await empty(kit, namespace)
  const conditions = decideConditions({ namespace, undiscovered, remainders, failures, now: kit.world.clock.now() })
  const current =
    conditions === namespace.status?.conditions
      ? namespace
      : await ignoringAbsence(
          kit.client.updateStatus(Namespace, {
            ...namespace,
            status: { ...namespace.status, phase: 'Terminating', conditions },
          }),
        )
  const [failure] = failures
  if (failure !== undefined) throw new Error(failure.message)
  if (undiscovered.length > 0) throw new Error(discoveryError(undiscovered))
  const left = [...pods, ...remainders]
  if (left.length > 0) return requeueAfter(lookAgainMs(left))
  if (current !== undefined) await release(kit, current)
  return done()
}

interface Emptied {
  readonly remainders: readonly Remainder[]
  readonly failures: readonly ContentFailure[]
}

/**
 * Nothing but pods is deleted while pods are left: they may still need the rest to shut down. As in Kubernetes the
 * conditions do not tell of these pods.
 */
async function empty(kit: Kit, namespace: Namespace): Promise<Emptied & { readonly pods: readonly Remainder[] }> {
  const { remainders: pods, failures } = await emptyKinds(kit, namespace, [Pod])
  if (pods.length > 0) return { pods, remainders: [], failures }
  const kinds = [...builtInKinds, ...customKinds(kit.cache)].filter(
    ({ namespaced, resource }) => namespaced && resource !== Pod.resource,
  )
  const others = await emptyKinds(kit, namespace, kinds)
  return { pods, remainders: others.remainders, failures: [...failures, ...others.failures] }
}

async function emptyKinds(kit: Kit, namespace: Namespace, kinds: readonly Kind[]): Promise<Emptied> {
  const remainders: Remainder[] = []
  const failures: ContentFailure[] = []
  for (const kind of kinds) {
    try {
      const remainder = await emptyKind(kit, namespace, kind)
      if (remainder.objects.length > 0) remainders.push(remainder)
      const fault = faultOf(namespace.metadata.name ?? '', remainder)
      if (fault !== undefined) failures.push(fault)
    } catch (error) {
      // A definition that went away meanwhile took its objects along.
      if (!isNotFound(error)) failures.push({ message: messageOf(error) })
    }
  }
  return { remainders, failures }
}

async function emptyKind(kit: Kit, namespace: Namespace, kind: Kind): Promise<Remainder> {
  const place = { namespace: namespace.metadata.name ?? '' }
  const { items } = await kit.client.list(kind, place)
  if (items.length === 0) return { kind, objects: items }
  await kit.client.deleteCollection(kind, place, { propagationPolicy: 'Background' })
  const objects = (await kit.client.list(kind, place)).items
  if (kind !== Pod) return { kind, objects }
  return { kind, objects, graceSeconds: graceOf(items as readonly Pod[], namespace, kit.world.clock.now()) }
}

/** Once nobody holds the namespace any more, the server removes it. */
async function release(kit: Kit, namespace: Namespace): Promise<void> {
  const finalizers = (namespace.spec.finalizers ?? []).filter((name) => name !== finalizer)
  try {
    const finalized = { ...namespace, spec: { ...namespace.spec, finalizers } }
    await kit.client.update(Namespace, finalized, { subresource: 'finalize' })
  } catch (error) {
    if (!isNotFound(error)) throw error
  }
}

async function ignoringAbsence<T>(write: Promise<T>): Promise<T | undefined> {
  try {
    return await write
  } catch (error) {
    if (isNotFound(error)) return undefined
    throw error
  }
}
