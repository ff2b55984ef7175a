// Devices that a pod claims: those that are allocated say where the pod can run; for the others there must be devices that
// the node can give. (pkg/scheduler/framework/plugins/dynamicresources)

import { DeviceClass, type DeviceRequest } from '#kinds'
import { isEqual } from '#objects'
import type { Cache } from '#reconcile'
import { allocate } from '../devices/allocate.ts'
import { canBeReserved, claimsOfPod, isReservedFor, isUsableOn, type ResourceClaim } from '../devices/claims.ts'
import { type FilterPlugin, hint, PluginError } from '../plugin.ts'
import type { PodFacts } from '../pod-facts.ts'
import { refuseForGood } from '../refusal.ts'

export const dynamicResourcesName = 'DynamicResources'

const inUse = refuseForGood('resourceclaim in use')
/** Devices that the claim has cannot be used there. */
export const elsewhere = refuseForGood('resourceclaim not available on the node')
const cannot = refuseForGood('cannot allocate all claims')

const hasClaims = ({ spec }: PodFacts): boolean => (spec.resourceClaims?.length ?? 0) > 0

export const dynamicResources: FilterPlugin = {
  name: dynamicResourcesName,
  helpedBy: [
    hint('resourceClaim', (pod, { object, old }, { objects }) => {
      const { claims, missing } = claimsOfPod(pod.pod, objects)
      if (missing !== undefined) return false
      // Devices of any claim are free again, or something was said of one of the pod's own.
      if (old?.status?.allocation !== undefined && object.status?.allocation === undefined) return true
      const isOwn = claims.some(({ metadata }) => metadata.uid === object.metadata.uid)
      return isOwn && (old === undefined || !isEqual(old.status, object.status))
    }),
    hint('resourceSlice'),
    hint('deviceClass'),
    hint('nodeAdded'),
    hint('nodeLabels'),
  ],
  prepareFilter(pod, { objects, inFlight }) {
    if (!hasClaims(pod)) return undefined
    const { claims, missing } = claimsOfPod(pod.pod, objects)
    if (missing !== undefined) return refuseForGood(missing)
    for (const claim of claims) {
      const fault = faultOf(claim, pod, objects)
      if (fault !== undefined) return fault
      if (inFlight.isPending(claim)) {
        const { namespace, name } = claim.metadata
        return refuseForGood(`resource claim ${namespace}/${name} is in the process of being allocated`)
      }
    }
    const open = claims.filter(({ status }) => status?.allocation === undefined)
    return (node) => {
      const isNear = claims.every((claim) => isUsableOn(claim, node))
      if (open.length === 0) return isNear ? undefined : elsewhere
      try {
        if (allocate(open, { node, objects, inFlight }) === undefined) return cannot
        return isNear ? undefined : elsewhere
      } catch (cause) {
        const why = (cause as Error).message
        throw new PluginError(`running "${dynamicResourcesName}" filter plugin: ${why}`, { cause })
      }
    }
  },
}

function faultOf(claim: ResourceClaim, { pod }: PodFacts, objects: Cache) {
  if (claim.status?.allocation !== undefined)
    return canBeReserved(claim) || isReservedFor(claim, pod) ? undefined : inUse
  for (const { name, deviceClassName } of (claim.spec.devices?.requests ?? []).flatMap(classesOf)) {
    if (objects.get(DeviceClass, deviceClassName) === undefined)
      return refuseForGood(`request ${name}: device class ${deviceClassName} does not exist`)
  }
  return undefined
}

const classesOf = ({ name, exactly, firstAvailable = [] }: DeviceRequest) =>
  exactly === undefined
    ? firstAvailable.map((one) => ({ name: `${name}/${one.name}`, deviceClassName: one.deviceClassName }))
    : [{ name, deviceClassName: exactly.deviceClassName }]
