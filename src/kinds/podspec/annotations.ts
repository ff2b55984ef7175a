// Faults of the annotations that mean something to pods: mirror pods, deletion cost, and the old seccomp and AppArmor
// annotations, which must agree with the fields that replaced them.

import { type FieldError, forbidden, invalid } from '../field-error.ts'
import type { PodSpec } from '../generated/types.ts'
import { checkDescending } from './paths.ts'
import { allContainers } from './windows.ts'

export type Annotations = Readonly<Record<string, string>>

export const mirrorAnnotation = 'kubernetes.io/config.mirror'
const deletionCost = 'controller.kubernetes.io/pod-deletion-cost'
export const seccompPod = 'seccomp.security.alpha.kubernetes.io/pod'
export const seccompContainer = 'container.seccomp.security.alpha.kubernetes.io/'
export const appArmorContainer = 'container.apparmor.security.beta.kubernetes.io/'

interface Target {
  readonly path: string
  readonly errors: FieldError[]
}

export function checkPodAnnotations(annotations: Annotations | undefined, spec: PodSpec, target: Target): void {
  if (annotations === undefined) return
  const { path, errors } = target
  const mirror = annotations[mirrorAnnotation]
  if (mirror !== undefined && !spec.nodeName)
    errors.push(
      invalid(`${path}[${mirrorAnnotation}]`, mirror, 'must set spec.nodeName if mirror pod annotation is set'),
    )
  const cost = annotations[deletionCost]
  if (cost !== undefined && !isInt32(cost))
    errors.push(invalid(`${path}[${deletionCost}]`, cost, 'must be a 32bit integer'))
  const ofPod = annotations[seccompPod]
  if (ofPod !== undefined) checkSeccompAnnotation(ofPod, `${path}.${seccompPod}`, errors)
  const entries = Object.entries(annotations)
  for (const [key, value] of entries)
    if (key.startsWith(seccompContainer)) checkSeccompAnnotation(value, `${path}.${key}`, errors)
  for (const [key, value] of entries)
    if (key.startsWith(appArmorContainer)) checkAppArmorAnnotation(key, value, { spec, ...target })
}

const isInt32 = (text: string): boolean =>
  /^(0|-\d+|[1-9]\d*)$/.test(text) && Number(text) >= -2147483648 && Number(text) <= 2147483647

function checkSeccompAnnotation(value: string, path: string, errors: FieldError[]): void {
  if (value === 'runtime/default' || value === 'docker/default' || value === 'unconfined') return
  if (value.startsWith('localhost/')) checkDescending(value.slice('localhost/'.length), path, errors)
  else errors.push(invalid(path, value, 'must be a valid seccomp profile'))
}

function checkAppArmorAnnotation(key: string, value: string, target: Target & { readonly spec: PodSpec }): void {
  const { path, errors, spec } = target
  const name = key.slice(appArmorContainer.length)
  if (!allContainers(spec, '').some(({ container }) => container.name === name))
    errors.push(invalid(`${path}[${key}]`, name, 'container not found'))
  if (value !== '' && value !== 'runtime/default' && value !== 'unconfined' && !value.startsWith('localhost/'))
    errors.push(invalid(`${path}[${key}]`, value, `invalid AppArmor profile name: ${JSON.stringify(value)}`))
}

/** Old annotations and the fields that replaced them must say the same. */
export function checkProfileAnnotations(annotations: Annotations | undefined, spec: PodSpec, target: Target): void {
  if (annotations === undefined) return
  const { path, errors } = target
  const ofPod = spec.securityContext
  if (ofPod?.seccompProfile !== undefined)
    checkAgrees(ofPod.seccompProfile, annotations[seccompPod], {
      what: 'seccomp',
      path: `${path}.securityContext.seccompProfile`,
      errors,
    })
  for (const { container, at } of allContainers(spec, path)) {
    const own = container.securityContext
    if (own?.seccompProfile !== undefined)
      checkAgrees(own.seccompProfile, annotations[seccompContainer + container.name], {
        what: 'seccomp',
        path: `${at}.securityContext.seccompProfile`,
        errors,
      })
  }
  if (spec.os?.name === 'windows') return
  for (const { container, at } of allContainers(spec, path)) {
    const armor = container.securityContext?.appArmorProfile ?? ofPod?.appArmorProfile
    if (armor !== undefined)
      checkAgrees(armor, annotations[appArmorContainer + container.name], {
        what: 'apparmor',
        path: `${at}.securityContext.appArmorProfile`,
        errors,
      })
  }
}

function checkAgrees(
  profile: { readonly type: string; readonly localhostProfile?: string },
  annotation: string | undefined,
  { what, path, errors }: Target & { readonly what: string },
): void {
  if (annotation === undefined) return
  const types: Readonly<Record<string, readonly string[]>> = {
    Unconfined: ['unconfined'],
    RuntimeDefault: what === 'seccomp' ? ['runtime/default', 'docker/default'] : ['runtime/default'],
  }
  if (profile.type === 'Localhost' && annotation.startsWith('localhost/')) {
    if (annotation.slice('localhost/'.length) !== profile.localhostProfile)
      errors.push(forbidden(`${path}.localhostProfile`, `${what} profile in annotation and field must match`))
  } else if (profile.type === 'Localhost' || types[profile.type]?.includes(annotation) === false)
    errors.push(forbidden(`${path}.type`, `${what} type in annotation and field must match`))
}
