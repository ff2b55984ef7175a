// AppArmor profiles that only an annotation names: a new pod gets them as fields, as long as they say something else than
// the profile of the whole pod. Whoever creates such a pod is told that the annotation is deprecated.

import { isEqual } from '#objects'
import type { AppArmorProfile, Container, Pod, PodSpec } from '../generated/types.ts'
import { type Annotations, appArmorContainer } from '../podspec/annotations.ts'
import { mapShared, withDefaults } from '../sharing.ts'

const lists = ['initContainers', 'containers', 'ephemeralContainers'] as const

/** Containers whose profile came from their annotation: their pod does not show that any more when it warns. */
const fromAnnotation = new WeakSet<Container>()

const hasProfiles = (annotations: Annotations): boolean =>
  Object.keys(annotations).some((key) => key.startsWith(appArmorContainer))

export function withAppArmorFields(pod: Pod): PodSpec {
  const { spec, metadata } = pod
  const annotations = metadata.annotations ?? {}
  if (spec.os?.name === 'windows' || !hasProfiles(annotations)) return spec
  const ofPod = spec.securityContext?.appArmorProfile
  const synced = (container: Container): Container => {
    const annotation = annotations[appArmorContainer + container.name]
    if (annotation === undefined || container.securityContext?.appArmorProfile !== undefined) return container
    const profile = profileOf(annotation)
    if (profile === undefined || isEqual(profile, ofPod)) return container
    const next = { ...container, securityContext: { ...container.securityContext, appArmorProfile: profile } }
    fromAnnotation.add(next)
    return next
  }
  const [initContainers, containers, ephemeralContainers] = lists.map(
    (list) => spec[list] && mapShared<Container>(spec[list], synced),
  )
  return withDefaults(spec, {
    initContainers,
    containers,
    ephemeralContainers: ephemeralContainers as PodSpec['ephemeralContainers'],
  })
}

type AnyContainer = Pick<Container, 'name' | 'securityContext'>

/** The profile that a container runs with: its own, one that an annotation of a static pod names, or that of its pod. */
export const appArmorOf = (
  { name, securityContext }: AnyContainer,
  { metadata, spec }: Pod,
): AppArmorProfile | undefined =>
  securityContext?.appArmorProfile ??
  profileOf(metadata.annotations?.[appArmorContainer + name] ?? '') ??
  spec.securityContext?.appArmorProfile

export function appArmorWarnings({ spec, metadata }: Pick<Pod, 'spec' | 'metadata'>): readonly string[] {
  const annotations = metadata.annotations ?? {}
  if (spec.os?.name === 'windows' || !hasProfiles(annotations)) return []
  return lists.flatMap((list) =>
    (spec[list] ?? []).flatMap((container: Container) => {
      const key = appArmorContainer + container.name
      const annotation = annotations[key]
      const isUnread =
        annotation !== undefined &&
        container.securityContext?.appArmorProfile === undefined &&
        profileOf(annotation) === undefined
      if (!isUnread && !fromAnnotation.has(container)) return []
      return [`metadata.annotations[${key}]: deprecated since v1.30; use the "appArmorProfile" field instead`]
    }),
  )
}

const local = 'localhost/'

/** Undefined for what is no profile. */
function profileOf(annotation: string): AppArmorProfile | undefined {
  if (annotation === 'unconfined') return { type: 'Unconfined' }
  if (annotation === 'runtime/default') return { type: 'RuntimeDefault' }
  const localhostProfile = annotation.startsWith(local) ? annotation.slice(local.length) : ''
  const isSound =
    localhostProfile !== '' && localhostProfile.trim() === localhostProfile && localhostProfile.length <= 4095
  return isSound ? { type: 'Localhost', localhostProfile } : undefined
}
