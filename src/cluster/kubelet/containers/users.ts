// runAsNonRoot against the user that a container would run as (kuberuntime/security_context.go).

import type { Container, EphemeralContainer, Pod } from '#kinds'
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
