// Seccomp profiles that containers name, which have to lie on their node. Pure.

import type { Container, EphemeralContainer, HostFileType, Pod } from '#kinds'
import { goQuote } from '../ground/go-text.ts'

const root = '/var/lib/kubelet/seccomp'
/** The security profiles operator puts there what it is given as objects. */
const operated = 'operator/'

/** Why the runtime cannot make the container; `typeOf` says what lies where on the node. */
export function seccompFault(
  { securityContext }: Container | EphemeralContainer,
  { spec }: Pod,
  typeOf: (path: string) => HostFileType | undefined,
): string | undefined {
  const profile = securityContext?.seccompProfile ?? spec.securityContext?.seccompProfile
  const { type, localhostProfile: name = '' } = profile ?? {}
  // Privileged containers have none, whatever they ask for.
  if (type !== 'Localhost' || securityContext?.privileged === true || name.startsWith(operated)) return undefined
  const path = `${root}/${name}`
  if (typeOf(path) === 'File') return undefined
  return `failed to create containerd container: cannot load seccomp profile ${goQuote(path)}: open ${path}: no such file or directory`
}
