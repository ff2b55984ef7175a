// RuntimeClass: a pod that names a class must find it, and carries the class's overhead and where it can run.
// Reads: RuntimeClass.

import { type Pod, type PodSpec, RuntimeClass } from '#kinds'
import { type AnyObject, isEqual } from '#objects'
import { type AdmissionPlugin, type AdmissionRequest, type AdmissionState, refuse } from '../plugin.ts'

function mutate(object: AnyObject, request: AdmissionRequest, state: AdmissionState): AnyObject {
  if (request.operation !== 'CREATE' || request.subresource !== '') return object
  const { spec } = object as unknown as Pod
  const name = spec?.runtimeClassName
  if (spec === undefined || name === undefined || name === '') return object
  const found = state.get(RuntimeClass, '', name)
  if (found === undefined) throw refuse(request, `pod rejected: RuntimeClass ${JSON.stringify(name)} not found`)
  return { ...object, spec: withScheduling(withOverhead(spec, found, request), found, request) }
}

function withOverhead(spec: PodSpec, { overhead }: RuntimeClass, request: AdmissionRequest): PodSpec {
  const podFixed = overhead?.podFixed
  if (podFixed === undefined) return spec
  if (spec.overhead !== undefined && !isEqual(spec.overhead, podFixed))
    throw refuse(request, "pod rejected: Pod's Overhead doesn't match RuntimeClass's defined Overhead")
  return { ...spec, overhead: podFixed }
}

function withScheduling(spec: PodSpec, { scheduling }: RuntimeClass, request: AdmissionRequest): PodSpec {
  if (scheduling === undefined) return spec
  const nodeSelector = { ...spec.nodeSelector }
  for (const [key, value] of Object.entries(scheduling.nodeSelector ?? {})) {
    const own = nodeSelector[key]
    if (own !== undefined && own !== value)
      throw refuse(
        request,
        `conflict: runtimeClass.scheduling.nodeSelector[${key}] = ${value}; pod.spec.nodeSelector[${key}] = ${own}`,
      )
    nodeSelector[key] = value
  }
  const tolerations = [...(spec.tolerations ?? [])]
  for (const toleration of scheduling.tolerations ?? [])
    if (!tolerations.some((own) => isEqual(own, toleration))) tolerations.push(toleration)
  return {
    ...spec,
    ...(Object.keys(nodeSelector).length === 0 ? {} : { nodeSelector }),
    ...(tolerations.length === 0 ? {} : { tolerations }),
  }
}

/** Overhead is what a class says, and nothing else. */
function validate(request: AdmissionRequest, state: AdmissionState): void {
  const { spec } = (request.object ?? {}) as unknown as Partial<Pod>
  if (request.operation !== 'CREATE' || request.subresource !== '' || spec?.overhead === undefined) return
  const { runtimeClassName = '' } = spec
  const found = runtimeClassName === '' ? undefined : state.get(RuntimeClass, '', runtimeClassName)
  if (found?.overhead === undefined)
    throw refuse(request, 'pod rejected: Pod Overhead set without corresponding RuntimeClass defined Overhead')
}

export const runtimeClass: AdmissionPlugin = { name: 'RuntimeClass', resources: ['pods'], mutate, validate }
