// Priority: a pod's priority is that of its PriorityClass; only one class can be the default.
// Reads: PriorityClass.

import { type Pod, type PodSpec, PriorityClass } from '#kinds'
import type { AnyObject } from '#objects'
import { type AdmissionPlugin, type AdmissionRequest, type AdmissionState, refuse } from '../plugin.ts'

interface Resolved {
  readonly className: string
  readonly value: number
  readonly policy: string
}

const preempting = 'PreemptLowerPriority'
const specs = new WeakMap<PodSpec, { readonly resolved: Resolved; readonly result: PodSpec }>()

function mutate(object: AnyObject, request: AdmissionRequest, state: AdmissionState): AnyObject {
  if (request.resource.resource !== 'pods' || request.subresource !== '') return object
  if (request.operation === 'UPDATE') return carried(object, request.old as unknown as Pod)
  if (request.operation !== 'CREATE') return object
  const { spec = { containers: [] } } = object as unknown as Pod
  const resolved = resolve(spec, request, state)
  checkGiven(spec, resolved, request)
  const known = specs.get(spec)
  if (known !== undefined && isSame(known.resolved, resolved))
    return known.result === spec ? object : { ...object, spec: known.result }
  const result = withPriority(spec, resolved)
  specs.set(spec, { resolved, result })
  return result === spec ? object : { ...object, spec: result }
}

/** What was set when the pod was created stays where an update says nothing of it. */
function carried(object: AnyObject, old: Pod): AnyObject {
  const { spec } = object as unknown as Pod
  if (spec === undefined || spec === old.spec) return object
  const { priority = old.spec.priority, preemptionPolicy = old.spec.preemptionPolicy } = spec
  if (priority === spec.priority && preemptionPolicy === spec.preemptionPolicy) return object
  return {
    ...object,
    spec: {
      ...spec,
      ...(priority === undefined ? {} : { priority }),
      ...(preemptionPolicy === undefined ? {} : { preemptionPolicy }),
    },
  }
}

const isSame = (a: Resolved, b: Resolved): boolean =>
  a.className === b.className && a.value === b.value && a.policy === b.policy

function resolve({ priorityClassName = '' }: PodSpec, request: AdmissionRequest, state: AdmissionState): Resolved {
  if (priorityClassName === '') return defaultClass(state)
  const found = state.get(PriorityClass, '', priorityClassName)
  if (found === undefined) throw refuse(request, `no PriorityClass with name ${priorityClassName} was found`)
  return { className: priorityClassName, value: found.value, policy: found.preemptionPolicy ?? preempting }
}

/** The class that is marked as default; of several, the one with the lowest value. */
function defaultClass(state: AdmissionState): Resolved {
  let found: PriorityClass | undefined
  for (const one of state.list(PriorityClass))
    if (one.globalDefault === true && (found === undefined || one.value < found.value)) found = one
  if (found === undefined) return noClass
  return { className: found.metadata.name ?? '', value: found.value, policy: found.preemptionPolicy ?? preempting }
}

const noClass: Resolved = { className: '', value: 0, policy: preempting }

const computed = 'priority admission controller computed'

function checkGiven(
  { priority, preemptionPolicy }: PodSpec,
  { value, policy }: Resolved,
  request: AdmissionRequest,
): void {
  if (priority !== undefined && priority !== value) {
    const why = `the integer value of priority (${priority}) must not be provided in pod spec; ${computed} ${value} from the given PriorityClass name`
    throw refuse(request, why)
  }
  if (preemptionPolicy !== undefined && preemptionPolicy !== policy) {
    const why = `the string value of PreemptionPolicy (${preemptionPolicy}) must not be provided in pod spec; ${computed} ${policy} from the given PriorityClass name`
    throw refuse(request, why)
  }
}

function withPriority(spec: PodSpec, { className, value, policy }: Resolved): PodSpec {
  const { priorityClassName = '', priority, preemptionPolicy } = spec
  if (priorityClassName === className && priority === value && preemptionPolicy === policy) return spec
  const named = className === '' ? {} : { priorityClassName: className }
  return { ...spec, ...named, priority: value, preemptionPolicy: policy as 'PreemptLowerPriority' }
}

function validate(request: AdmissionRequest, state: AdmissionState): void {
  if (request.resource.resource !== 'priorityclasses' || request.operation === 'DELETE') return
  const wanted = request.object as unknown as PriorityClass | undefined
  if (wanted?.globalDefault !== true) return
  const other = state
    .list(PriorityClass)
    .find(({ globalDefault, metadata }) => globalDefault === true && metadata.name !== wanted.metadata.name)
  if (other === undefined) return
  throw refuse(request, `PriorityClass ${other.metadata.name} is already marked as default. Only one default can exist`)
}

export const priority: AdmissionPlugin = {
  name: 'Priority',
  resources: ['pods', 'priorityclasses'],
  mutate,
  validate,
}
