// What may change in a Pod: images, deadlines, added tolerations, removed gates, and placement while gates hold it.

import { isEqual } from '#objects'
import { type FieldError, forbidden, invalid, required } from '../field-error.ts'
import type { Container, NodeAffinity, NodeSelectorTerm, Pod, PodSpec, Toleration } from '../generated/types.ts'
import { asGoStruct, goStruct } from '../go-struct.ts'
import { rangeText } from '../metadata/formats.ts'
import { checkTolerations } from '../podspec/affinity.ts'
import { appArmorContainer, checkPodAnnotations, mirrorAnnotation } from '../podspec/annotations.ts'
import { describeChange } from './describe-change.ts'
import { checkPod } from './validate.ts'

export function validatePodUpdate(pod: Pod, old: Pod): readonly FieldError[] {
  const errors: FieldError[] = []
  checkPod(pod, errors)
  checkAnnotationChanges(pod, old, errors)
  if (pod.spec === old.spec) return errors
  if (checkImages(pod.spec.containers ?? [], old.spec.containers, { path: 'spec.containers', errors })) return errors
  const init = [pod.spec.initContainers ?? [], old.spec.initContainers ?? []] as const
  if (checkImages(...init, { path: 'spec.initContainers', errors })) return errors
  if (checkDeadline(pod.spec, old.spec, errors)) return errors
  checkTolerationChanges(pod.spec.tolerations ?? [], old.spec.tolerations ?? [], errors)
  checkGateChanges(pod.spec, old.spec, errors)
  if (isEqual(pod.spec, old.spec)) return errors
  const masked = maskPlacement(maskMutable(pod.spec, old.spec), old.spec, errors)
  if (!isEqual(masked, old.spec))
    errors.push(
      forbidden(
        'spec',
        `pod updates may not change fields other than ${updatable}\n${describeChange(old.spec, masked)}`,
      ),
    )
  return errors
}

const updatable = [
  '`spec.containers[*].image`',
  '`spec.initContainers[*].image`',
  '`spec.activeDeadlineSeconds`',
  '`spec.tolerations` (only additions to existing tolerations)',
  '`spec.terminationGracePeriodSeconds` (allow it to be set to 1 if it was previously negative)',
].join(',')

export function checkAnnotationChanges(pod: Pod, old: Pod, errors: FieldError[]): void {
  const [now, before] = [pod.metadata.annotations ?? {}, old.metadata.annotations ?? {}]
  if (now === before) return
  for (const key of Object.keys(before)) {
    if (now[key] === before[key]) continue
    const at = `metadata.annotations[${key}]`
    if (key.startsWith(appArmorContainer)) errors.push(forbidden(at, 'may not remove or update AppArmor annotations'))
    if (key === mirrorAnnotation) errors.push(forbidden(at, 'may not remove or update mirror pod annotation'))
  }
  for (const key of Object.keys(now)) {
    if (before[key] !== undefined) continue
    const at = `metadata.annotations[${key}]`
    if (key.startsWith(appArmorContainer)) errors.push(forbidden(at, 'may not add AppArmor annotations'))
    if (key === mirrorAnnotation) errors.push(forbidden(at, 'may not add mirror pod annotation'))
  }
  checkPodAnnotations(now, pod.spec, { path: 'metadata.annotations', errors })
}

/** Whether the check stops here, since containers were added or removed. */
function checkImages(
  now: readonly Container[],
  before: readonly Container[],
  { path, errors }: { readonly path: string; readonly errors: FieldError[] },
): boolean {
  if (now.length !== before.length) {
    errors.push(forbidden(path, 'pod updates may not add or remove containers'))
    return true
  }
  now.forEach(({ image = '' }, i) => {
    if (image === '') errors.push(required(`${path}[${i}].image`))
    if (image.trim() !== image)
      errors.push(invalid(`${path}[${i}].image`, image, 'must not have leading or trailing whitespace'))
  })
  return false
}

/** A deadline may be set and brought forward. Whether the check stops here. */
function checkDeadline(spec: PodSpec, old: PodSpec, errors: FieldError[]): boolean {
  const path = 'spec.activeDeadlineSeconds'
  const [now, before] = [spec.activeDeadlineSeconds, old.activeDeadlineSeconds]
  if (now === undefined) {
    if (before !== undefined) errors.push(invalid(path, null, 'must not update from a positive integer to nil value'))
    return false
  }
  if (now < 0 || now > 2147483647) errors.push(invalid(path, now, rangeText(0, 2147483647)))
  else if (before !== undefined && before < now)
    errors.push(invalid(path, now, 'must be less than or equal to previous value'))
  else return false
  return true
}

function checkTolerationChanges(now: readonly Toleration[], before: readonly Toleration[], errors: FieldError[]): void {
  if (now === before) return
  const withoutTime = (toleration: Toleration): object => ({ ...toleration, tolerationSeconds: undefined })
  const kept = before.every((old) => now.some((toleration) => isEqual(withoutTime(old), withoutTime(toleration))))
  if (!kept)
    errors.push(forbidden('spec.tolerations', 'existing toleration can not be modified except its tolerationSeconds'))
  else checkTolerations(now, 'spec.tolerations', errors)
}

function checkGateChanges(spec: PodSpec, old: PodSpec, errors: FieldError[]): void {
  const before = new Set((old.schedulingGates ?? []).map(({ name }) => name))
  spec.schedulingGates?.forEach(({ name }, i) => {
    if (!before.has(name))
      errors.push(
        forbidden(
          `spec.schedulingGates[${i}].name`,
          `only deletion is allowed, but found new scheduling gate '${name}'`,
        ),
      )
  })
}

type Draft = { -readonly [K in keyof PodSpec]: PodSpec[K] | undefined }

/** The new spec with everything that may change set back to what it was. */
function maskMutable(spec: PodSpec, old: PodSpec): Draft {
  const imagesOf = (now: readonly Container[] | undefined, before: readonly Container[] | undefined) =>
    now?.map((container, i) => ({ ...container, image: before?.[i]?.image }) as Container)
  const allowedGrace = (old.terminationGracePeriodSeconds ?? 0) < 0 && spec.terminationGracePeriodSeconds === 1
  return {
    ...spec,
    containers: imagesOf(spec.containers, old.containers) ?? [],
    initContainers: imagesOf(spec.initContainers, old.initContainers),
    activeDeadlineSeconds: old.activeDeadlineSeconds,
    schedulingGates: old.schedulingGates,
    tolerations: old.tolerations,
    terminationGracePeriodSeconds: allowedGrace
      ? old.terminationGracePeriodSeconds
      : spec.terminationGracePeriodSeconds,
  }
}

/** While gates hold a pod, its node selector and node affinity may be tightened. */
function maskPlacement(spec: Draft, old: PodSpec, errors: FieldError[]): PodSpec {
  const masked = { ...spec }
  if ((old.schedulingGates ?? []).length > 0) {
    if (!isEqual(spec.nodeSelector, old.nodeSelector)) {
      const loosened = Object.entries(old.nodeSelector ?? {}).some(([key, value]) => spec.nodeSelector?.[key] !== value)
      if (loosened)
        errors.push(
          invalid(
            'spec.nodeSelector',
            spec.nodeSelector ?? null,
            'only additions to spec.nodeSelector are allowed (no mutations or deletions)',
          ),
        )
      masked.nodeSelector = old.nodeSelector
    }
    const [now, before] = [spec.affinity?.nodeAffinity, old.affinity?.nodeAffinity]
    if (!isEqual(now, before)) {
      checkNodeAffinityChange(now, before, errors)
      const { nodeAffinity: _dropped, ...others } = spec.affinity ?? {}
      const isEmpty = Object.keys(others).length === 0 && old.affinity === undefined
      masked.affinity = isEmpty ? undefined : { ...others, ...(before === undefined ? {} : { nodeAffinity: before }) }
    }
  }
  return Object.fromEntries(Object.entries(masked).filter(([, value]) => value !== undefined)) as unknown as PodSpec
}

const internalRequirement = goStruct('Key="" Operator="" Values')
const internalTerm = goStruct('MatchExpressions MatchFields', {
  MatchExpressions: internalRequirement,
  MatchFields: internalRequirement,
})

function checkNodeAffinityChange(
  now: NodeAffinity | undefined,
  old: NodeAffinity | undefined,
  errors: FieldError[],
): void {
  const before = old?.requiredDuringSchedulingIgnoredDuringExecution?.nodeSelectorTerms
  if (before === undefined || before.length === 0) return
  const terms = now?.requiredDuringSchedulingIgnoredDuringExecution?.nodeSelectorTerms ?? []
  const path = 'spec.affinity.nodeAffinity.requiredDuringSchedulingIgnoredDuringExecution.nodeSelectorTerms'
  if (terms.length !== before.length) {
    const shown = terms.length === 0 ? null : terms.map((term) => asGoStruct(internalTerm, term))
    errors.push(invalid(path, shown, 'no additions/deletions to non-empty NodeSelectorTerms list are allowed'))
    return
  }
  terms.forEach((term, i) => {
    if (!onlyAdds(term, before[i] ?? {}))
      errors.push(
        invalid(
          `${path}[${i}]`,
          asGoStruct(internalTerm, term),
          'only additions are allowed (no mutations or deletions)',
        ),
      )
  })
}

function onlyAdds(term: NodeSelectorTerm, old: NodeSelectorTerm): boolean {
  const lists = (['matchExpressions', 'matchFields'] as const).map((field) => ({
    now: term[field] ?? [],
    before: old[field] ?? [],
  }))
  if (lists.every(({ before }) => before.length === 0)) return lists.every(({ now }) => now.length === 0)
  return lists.every(({ now, before }) => isEqual(now.slice(0, before.length), before))
}
