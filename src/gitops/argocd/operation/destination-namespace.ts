// The namespace that an application deploys to, where a sync is to make it or to put labels and annotations on it.
// Reads: Namespaces of the destination.  Writes: nothing.

import { isForbidden, isNotFound } from '#api'
import type { Destination } from '#gitops/destinations'
import { hasOption } from '#gitops/sync'
import { type Application, Namespace } from '#kinds'
import type { AnyObject } from '#objects'
import type { Desired } from '../desired/from-rendered.ts'

/** `CreateNamespace=true`: the destination namespace, when it is not there (or is to carry something) and git does not bring it. */
export async function namespaceToMake(
  { app, destination }: { readonly app: Application; readonly destination: Destination },
  { targets }: Pick<Desired, 'targets'>,
  options: readonly string[],
): Promise<{ readonly target: AnyObject; readonly live?: AnyObject } | undefined> {
  const name = app.spec.destination.namespace
  if (name === undefined || name === '' || !hasOption(undefined, options, 'CreateNamespace=true')) return undefined
  if (targets.some(({ key }) => key.kind === 'Namespace' && key.group === '' && key.name === name)) return undefined
  const live = await namespaceIn(destination, name)
  const wanted = app.spec.syncPolicy?.managedNamespaceMetadata
  if (live !== undefined && wanted === undefined) return undefined
  const metadata = {
    name,
    ...(wanted?.labels === undefined ? {} : { labels: wanted.labels }),
    ...(wanted?.annotations === undefined ? {} : { annotations: wanted.annotations }),
  }
  const target: AnyObject = { apiVersion: 'v1', kind: 'Namespace', metadata }
  return live === undefined ? { target } : { target, live: live as unknown as AnyObject }
}

/** Where namespaces cannot be listed, this one is asked for; one that may not be seen is taken to be there. */
async function namespaceIn({ cache, client, follow }: Destination, name: string): Promise<Namespace | undefined> {
  if (follow(Namespace).type === 'known') return cache.get(Namespace, name)
  try {
    return await client.get(Namespace, { name })
  } catch (error) {
    if (isNotFound(error)) return undefined
    if (isForbidden(error)) return { apiVersion: 'v1', kind: 'Namespace', metadata: { name }, spec: {} }
    throw error
  }
}
