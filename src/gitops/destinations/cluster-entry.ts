// A cluster that applications may name as their destination, and how it is reached: as a cluster Secret of Argo CD says, or a
// context of a kubeconfig that the operator named. Pure; what it cannot be reached by is said here, once.

import type { Connection } from '#client'
import type { Application } from '#kinds'

export type Way =
  | { readonly type: 'built-in' }
  | { readonly type: 'connection'; readonly connection: Connection }
  /** It is described, but not in a way that is gone. */
  | {
      readonly type: 'refused'
      readonly reason: string
      /** A repository describes it, and is not believed: what it says stands in nobody's way. */
      readonly isUntrusted?: true
    }

export interface ClusterEntry {
  /** Without a slash at its end. */
  readonly server: string
  readonly name: string
  /** Whose cluster it is; empty: everybody's. */
  readonly project: string
  /** Only these are looked at and written to; undefined: all. */
  readonly namespaces?: readonly string[]
  /** With `namespaces`: what has no namespace belongs to it all the same. */
  readonly clusterResources: boolean
  readonly way: Way
  /** For messages: `the Secret argocd/east`. */
  readonly origin: string
  /** What is known of the cluster from before is thrown away when this changes. */
  readonly refresh: string
}

export const trimServer = (server: string): string => {
  let end = server.length
  while (end > 0 && server[end - 1] === '/') end -= 1
  return server.slice(0, end)
}

export type ApplicationDestination = Application['spec']['destination']

/** The cluster that a destination names, or what is wrong with it, in Argo CD's words. */
export function resolveDestination(
  entries: readonly ClusterEntry[],
  { server = '', name = '' }: ApplicationDestination,
): ClusterEntry | string {
  if (server !== '' && name !== '')
    return `application destination can't have both name and server defined: ${name} ${server}`
  if (server !== '') {
    const wanted = trimServer(server)
    return (
      entries.find((each) => each.server === wanted) ??
      `error getting cluster by server "${server}": cluster "${wanted}" not found`
    )
  }
  if (name === '') return 'Destination server missing from app spec'
  const [found, ...others] = entries.filter((each) => each.name === name)
  if (found === undefined) return `there are no clusters with this name: ${name}`
  // Where several describe one server, the first of them counts.
  if (others.length === 0) return entries.find((each) => each.server === found.server) ?? found
  const servers = [found, ...others].map((each) => each.server)
  return `there are ${servers.length} clusters with the same name: [${servers.join(' ')}]`
}

/** Why an object is out of reach where only some namespaces are looked after, in Argo CD's words. */
export function scopeFault(
  { namespaces, clusterResources }: Pick<ClusterEntry, 'namespaces' | 'clusterResources'>,
  { kind, namespace, name }: { readonly kind: string; readonly namespace: string; readonly name: string },
): string | undefined {
  if (namespaces === undefined) return undefined
  if (namespace === '')
    return clusterResources ? undefined : `cluster level ${kind} "${name}" can not be managed when in namespaced mode`
  return namespaces.includes(namespace) ? undefined : `namespace "${namespace}" for ${kind} "${name}" is not managed`
}
