// AppArmor profiles that containers ask for: the kernel has to have it, and the profile has to be loaded. Pure.

import { appArmorOf, type Container, type EphemeralContainer, type Pod } from '#kinds'
import { containersOf } from './containers.ts'

/** Whether a pod can run only where there is AppArmor. */
export function needsAppArmor(pod: Pod): boolean {
  const ofPod = pod.spec.securityContext?.appArmorProfile
  return [ofPod, ...containersOf(pod.spec).map(({ spec }) => appArmorOf(spec, pod))].some(
    (profile) => profile !== undefined && profile.type !== 'Unconfined',
  )
}

/** Why the runtime cannot make the container. */
export function appArmorFault(
  container: Container | EphemeralContainer,
  pod: Pod,
  loaded: ReadonlySet<string>,
): string | undefined {
  const { type, localhostProfile = '' } = appArmorOf(container, pod) ?? {}
  if (type !== 'Localhost' || loaded.has(localhostProfile)) return undefined
  return `failed to get container spec opts: failed to generate apparmor spec opts: apparmor profile not found ${localhostProfile}`
}
