// Whether a pod's container has been told to think up Argo CD's password for Redis, and has begun. Pure.

import type { Container, Pod } from '#kinds'

const word = 'redis-initial-password'

// Asked about every pod: nothing is made here.
const isTold = ({ command, args }: Container): boolean =>
  command?.includes(word) === true || args?.includes(word) === true

/** An init container of Redis itself in Argo CD's manifests, a Job of its own in its chart. */
export const isPasswordMaker = ({ spec: { containers, initContainers } }: Pod): boolean =>
  initContainers?.some(isTold) === true || containers.some(isTold)

/** Its container may end, and its Job go, as soon as it has begun. */
export function hasBegun({ spec, status }: Pod): boolean {
  const told = new Set([...(spec.initContainers ?? []), ...spec.containers].filter(isTold).map(({ name }) => name))
  const statuses = [...(status?.initContainerStatuses ?? []), ...(status?.containerStatuses ?? [])]
  return statuses.some(({ name, state }) => told.has(name) && (state?.running ?? state?.terminated) !== undefined)
}
