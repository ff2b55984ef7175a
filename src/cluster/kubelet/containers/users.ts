// The user that a container runs as: what its spec, its pod and its image say of it, and what runAsNonRoot makes of that
// (kuberuntime/security_context.go).

import type { Container, ContainerUser, EphemeralContainer, Pod } from '#kinds'
import { goQuote } from '../ground/go-text.ts'
import type { ImageWorkload } from '../workload/workload.ts'

/** Whether the container may not run as root. */
export const isNonRoot = ({ securityContext }: Container | EphemeralContainer, { spec }: Pod): boolean =>
  (securityContext?.runAsNonRoot ?? spec.securityContext?.runAsNonRoot) === true

/** Why the container may not be created; undefined when it may. */
export function nonRootFault(
  container: Container | EphemeralContainer,
  pod: Pod,
  image: ImageWorkload,
): string | undefined {
  if (!isNonRoot(container, pod)) return undefined
  const user = container.securityContext?.runAsUser ?? pod.spec.securityContext?.runAsUser
  const { name = '', namespace = '', uid = '' } = pod.metadata
  const where = `(pod: ${goQuote(`${name}_${namespace}(${uid})`)}, container: ${container.name})`
  if (user !== undefined) return user === 0 ? `container's runAsUser breaks non-root policy ${where}` : undefined
  // Nothing is known of most images: they are taken to name a user.
  const own = image.user
  if (own === undefined) return undefined
  const first = own.split(':')[0] ?? ''
  if (first === '' || Number(first) === 0) return `container has runAsNonRoot and image will run as root ${where}`
  if (/^\d+$/.test(first)) return undefined
  return `container has runAsNonRoot and image has non-numeric user (${first}), cannot verify user is non-root ${where}`
}

export interface User {
  readonly uid: number
  readonly gid: number
  /** All of them in order, the first one too. Those that an image gives its user are not known. */
  readonly groups: readonly number[]
}

export const nameOfUser = (uid: number): string => (uid === 0 ? 'root' : String(uid))

/** Users that images call by their names have these numbers nearly everywhere. */
const named: Readonly<Record<string, number>> = { root: 0, nobody: 65534, 'www-data': 33 }

const numberOf = (text = ''): number => (/^\d+$/.test(text) ? Number(text) : (named[text] ?? 0))

export function userOf(
  { securityContext: own }: Container | EphemeralContainer,
  { spec: { securityContext: all } }: Pod,
  image: ImageWorkload,
): User {
  const [user, group] = (image.user ?? '').split(':')
  const uid = own?.runAsUser ?? all?.runAsUser ?? numberOf(user)
  const gid = own?.runAsGroup ?? all?.runAsGroup ?? numberOf(group)
  const more = [all?.fsGroup, ...(all?.supplementalGroups ?? [])].filter((one) => one !== undefined)
  const groups = more.length === 0 ? [gid] : [...new Set([gid, ...more])].sort((a, b) => a - b)
  return { uid, gid, groups }
}

const told = new Map<string, ContainerUser>()
const toldLimit = 1000

/** As a status tells it: the same object for all containers with the same user. */
export function toldUser({ uid, gid, groups }: User): ContainerUser {
  const key = `${uid} ${gid} ${groups}`
  const known = told.get(key)
  if (known !== undefined) return known
  const user: ContainerUser = { linux: { uid, gid, supplementalGroups: groups } }
  if (told.size >= toldLimit) told.clear()
  told.set(key, user)
  return user
}
