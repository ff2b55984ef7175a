// LimitRanger: the LimitRanges of a namespace give containers requests and limits where they have none, and refuse what
// lies outside of their bounds.
// Reads: LimitRange.

import type { ApiError } from '#api'
import {
  type Container,
  LimitRange,
  type LimitRangeItem,
  type PersistentVolumeClaim,
  type Pod,
  type PodSpec,
} from '#kinds'
import type { AnyObject } from '#objects'
import { type AdmissionPlugin, type AdmissionRequest, type AdmissionState, refuse } from '../plugin.ts'
import { type Amounts, boundFaults, podAmounts } from './bounds.ts'

const annotation = 'kubernetes.io/limit-ranger'

/** Of pods only a resize can change what they ask for; claims can grow. */
function isChecked({ operation, subresource, resource: { resource } }: AdmissionRequest): boolean {
  if (resource === 'pods' && operation === 'UPDATE') return subresource === 'resize'
  return subresource === '' && (operation === 'CREATE' || operation === 'UPDATE')
}

const itemsOf = (range: LimitRange, type: string): readonly LimitRangeItem[] =>
  (range.spec?.limits ?? []).filter((item) => item.type === type)

function mutate(object: AnyObject, request: AdmissionRequest, state: AdmissionState): AnyObject {
  if (request.operation !== 'CREATE' || request.subresource !== '' || request.resource.resource !== 'pods')
    return object
  if (state.count(LimitRange, request.namespace) === 0) return object
  let pod = object as unknown as Pod
  const notes: string[] = []
  for (const range of state.list(LimitRange, request.namespace)) {
    const [limits, requests] = defaultsOf(range)
    pod = { ...pod, spec: withDefaults(pod.spec ?? { containers: [] }, { limits, requests, notes }) }
  }
  if (notes.length === 0) return object
  const annotations = { ...pod.metadata.annotations, [annotation]: `LimitRanger plugin set: ${notes.join('; ')}` }
  return { ...pod, metadata: { ...pod.metadata, annotations } } as unknown as AnyObject
}

/** Limits, then requests. */
function defaultsOf(range: LimitRange): readonly [Amounts, Amounts] {
  const items = itemsOf(range, 'Container')
  return [
    Object.assign({}, ...items.map((item) => item.default)),
    Object.assign({}, ...items.map((item) => item.defaultRequest)),
  ]
}

interface Defaults {
  readonly limits: Amounts
  readonly requests: Amounts
  /** Told in the pod's annotation. */
  readonly notes: string[]
}

function withDefaults(spec: PodSpec, defaults: Defaults): PodSpec {
  const fill = (list: readonly Container[], kind: string): readonly Container[] =>
    list.map((container) => filled(container, kind, defaults))
  return {
    ...spec,
    containers: fill(spec.containers ?? [], 'container'),
    ...(spec.initContainers === undefined ? {} : { initContainers: fill(spec.initContainers, 'init container') }),
  }
}

function filled(container: Container, kind: string, { limits, requests, notes }: Defaults): Container {
  const given = container.resources ?? {}
  const nextLimits = { ...limits, ...given.limits }
  const nextRequests = { ...requests, ...given.requests }
  const names = (defaults: Amounts, own: Amounts | undefined): readonly string[] =>
    Object.keys(defaults)
      .filter((name) => own?.[name] === undefined)
      .sort()
  const [setRequests, setLimits] = [names(requests, given.requests), names(limits, given.limits)]
  if (setRequests.length > 0) notes.push(`${setRequests.join(', ')} request for ${kind} ${container.name}`)
  if (setLimits.length > 0) notes.push(`${setLimits.join(', ')} limit for ${kind} ${container.name}`)
  if (setRequests.length + setLimits.length === 0) return container
  return {
    ...container,
    resources: {
      ...given,
      ...(Object.keys(nextLimits).length === 0 ? {} : { limits: nextLimits }),
      ...(Object.keys(nextRequests).length === 0 ? {} : { requests: nextRequests }),
    },
  }
}

function validate(request: AdmissionRequest, state: AdmissionState): void {
  const { object, old } = request
  if (object === undefined || !isChecked(request) || state.count(LimitRange, request.namespace) === 0) return
  if (old !== undefined && (object['spec'] === old['spec'] || object.metadata.deletionTimestamp !== undefined)) return
  const isPod = request.resource.resource === 'pods'
  for (const range of state.list(LimitRange, request.namespace)) {
    const faults = isPod
      ? podFaults(object as unknown as Pod, range)
      : claimFaults(object as unknown as PersistentVolumeClaim, range)
    if (faults.length > 0) throw refused(request, faults)
  }
}

/** What several containers do wrong is said once. */
function refused(request: AdmissionRequest, faults: readonly string[]): ApiError {
  const texts = [...new Set(faults)]
  return refuse(request, texts.length === 1 ? (texts[0] ?? '') : `[${texts.join(', ')}]`)
}

function podFaults({ spec }: Pod, range: LimitRange): readonly string[] {
  const containers = [...(spec?.containers ?? []), ...(spec?.initContainers ?? [])]
  return [
    ...itemsOf(range, 'Container').flatMap((item) =>
      containers.flatMap(({ resources = {} }) =>
        boundFaults('Container', item, resources.requests ?? {}, resources.limits ?? {}),
      ),
    ),
    ...itemsOf(range, 'Pod').flatMap((item) =>
      boundFaults('Pod', item, podAmounts(spec, 'requests'), podAmounts(spec, 'limits')),
    ),
  ]
}

function claimFaults({ spec }: PersistentVolumeClaim, range: LimitRange): readonly string[] {
  const requests = spec?.resources?.requests ?? {}
  return itemsOf(range, 'PersistentVolumeClaim').flatMap((item) =>
    boundFaults('PersistentVolumeClaim', item, requests, {}),
  )
}

export const limitRanger: AdmissionPlugin = {
  name: 'LimitRanger',
  resources: ['pods', 'persistentvolumeclaims'],
  mutate,
  validate,
}
