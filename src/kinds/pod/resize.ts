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
  const refuse = (text: string): void => void errors.push(forbidden('spec', text))
  spec.containers.forEach((container, i) => {
    if (!isResized(container, old.containers[i])) refuse('only cpu and memory resources are mutable')
  })
  spec.initContainers?.forEach((container, i) => {
    const before = old.initContainers?.[i]
    if (isSidecar(container)) {
      if (!isResized(container, before)) refuse('only cpu and memory resources for sidecar containers are mutable')
    } else if (!isSame(container, before, container.resources ?? {}))
      refuse('resources for non-sidecar init containers are immutable')
  })
}

/** Where nothing was asked for before, anything may be; claims are forgotten where they are compared, and so never fit. */
function isResized(container: Container, before: Container | undefined): boolean {
  const { limits, requests } = container.resources ?? {}
  return isSame(container, before, {
    limits: withOldSize(limits, before?.resources?.limits),
    requests: withOldSize(requests, before?.resources?.requests),
  })
}

type Amounts = Readonly<Record<string, string | number>>

function withOldSize(now: Amounts | undefined, before: Amounts | undefined): Amounts {
  if (before === undefined) return {}
  const { cpu: _cpu, memory: _memory, ...fixed } = now ?? {}
  const { cpu, memory } = before
  return { ...fixed, ...(cpu === undefined ? {} : { cpu }), ...(memory === undefined ? {} : { memory }) }
}

function isSame(now: Container, before: Container | undefined, resources: ResourceRequirements): boolean {
  const full = ({ limits = {}, requests = {}, claims = [] }: ResourceRequirements): object => ({
    limits,
    requests,
    claims,
  })
  return isEqual(full(resources), full(before?.resources ?? {})) && isEqual(now.resizePolicy, before?.resizePolicy)
}
