// Faults of resizing a pod in place: CPU and memory of its containers may change, as long as none of them goes away and
// the class of the pod stays.

import { isEqual } from '#objects'
import { type FieldError, forbidden, invalid } from '../field-error.ts'
import type { Container, Pod, PodSpec, ResourceRequirements } from '../generated/types.ts'
import { mirrorAnnotation } from '../podspec/annotations.ts'
import { qosClassOf } from '../podspec/qos.ts'
import { checkPod } from './validate.ts'

export function validateResize(pod: Pod, old: Pod): readonly FieldError[] {
  const refusal = refusalOf(pod, old)
  if (refusal !== undefined) return [forbidden('[]', refusal)]
  const errors: FieldError[] = []
  checkPod(pod, errors)
  if (qosClassOf(pod.spec) !== (old.status?.qosClass ?? qosClassOf(old.spec)))
    errors.push(invalid('spec', pod.status?.qosClass ?? '', 'Pod QOS Class may not change as a result of resizing'))
  const isSupported = (old.status?.containerStatuses ?? []).every(
    ({ resources, state }) => resources !== undefined || state?.running === undefined,
  )
  if (!isSupported) errors.push(forbidden('spec', 'Pod running on node without support for resize'))
  for (const list of ['containers', 'initContainers'] as const)
    if (!checkSameContainers(pod.spec[list] ?? [], old.spec[list] ?? [], { path: `spec.${list}`, errors }))
      return errors
  for (const list of ['initContainers', 'containers'] as const)
    pod.spec[list]?.forEach((container, i) => {
      if (list === 'containers' || isSidecar(container))
        checkNothingRemoved(container.resources, old.spec[list]?.[i]?.resources, {
          path: `spec.${list}[${i}].resources`,
          errors,
        })
    })
  checkOnlyCpuAndMemory(pod.spec, old.spec, errors)
  return errors
}

function refusalOf(pod: Pod, old: Pod): string | undefined {
  if ([pod, old].some(({ spec }) => hasAmounts(spec.resources)))
    return 'pods with pod-level resources cannot be resized'
  if (old.metadata.annotations?.[mirrorAnnotation] !== undefined) return 'static pods cannot be resized'
  return old.spec.os?.name === 'windows' ? 'windows pods cannot be resized' : undefined
}

const hasAmounts = (resources: ResourceRequirements | undefined): boolean =>
  Object.keys({ ...resources?.requests, ...resources?.limits }).length > 0

const isSidecar = ({ restartPolicy }: Container): boolean => restartPolicy === 'Always'

interface Target {
  readonly path: string
  readonly errors: FieldError[]
}

function checkSameContainers(
  now: readonly Container[],
  before: readonly Container[],
  { path, errors }: Target,
): boolean {
  if (now.length !== before.length) {
    errors.push(forbidden(path, 'containers may not be added or removed on resize'))
    return false
  }
  const moved = now.flatMap(({ name }, i) => (name === before[i]?.name ? [] : [i]))
  for (const i of moved)
    errors.push(forbidden(`${path}[${i}].name`, 'containers may not be renamed or reordered on resize'))
  return moved.length === 0
}

function checkNothingRemoved(
  now: ResourceRequirements | undefined,
  before: ResourceRequirements | undefined,
  { path, errors }: Target,
): void {
  for (const list of ['requests', 'limits'] as const)
    if (Object.keys(before?.[list] ?? {}).some((name) => now?.[list]?.[name] === undefined))
      errors.push(forbidden(`${path}.${list}`, `resource ${list} cannot be removed`))
}

function checkOnlyCpuAndMemory(spec: PodSpec, old: PodSpec, errors: FieldError[]): void {
  const differs = (now: Container, before: Container | undefined, mayResize: boolean): boolean =>
    mayResize
      ? !isEqual(fixedPart(now.resources), fixedPart(before?.resources))
      : !isEqual(now.resources ?? {}, before?.resources ?? {})
  if (spec.containers.some((container, i) => differs(container, old.containers[i], true)))
    errors.push(forbidden('spec', 'only cpu and memory resources are mutable'))
  spec.initContainers?.forEach((container, i) => {
    const mayResize = isSidecar(container)
    if (differs(container, old.initContainers?.[i], mayResize))
      errors.push(
        forbidden(
          'spec',
          mayResize
            ? 'only cpu and memory resources for sidecar containers are mutable'
            : 'resources for non-sidecar init containers are immutable',
        ),
      )
  })
}

/** Requirements without those that may be resized. */
function fixedPart(resources: ResourceRequirements | undefined): object {
  const fixed = (list: Readonly<Record<string, unknown>> | undefined): object =>
    Object.fromEntries(Object.entries(list ?? {}).filter(([name]) => name !== 'cpu' && name !== 'memory'))
  return { ...resources, requests: fixed(resources?.requests), limits: fixed(resources?.limits) }
}
