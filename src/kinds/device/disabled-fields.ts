// What the API server takes out of claims, slices and classes because the feature behind it is off by default in 1.34: taints,
// partitions of devices, devices that several claims share, conditions of binding, extended resources.

import type {
  AllocatedDeviceStatus,
  AllocationResult,
  Device,
  DeviceClaim,
  DeviceClassSpec,
  DeviceRequest,
  DeviceRequestAllocationResult,
  ExactDeviceRequest,
  ResourceSliceSpec,
} from '../generated/types.ts'
import { mapShared, withDefaults, without } from '../sharing.ts'

type Asked = Pick<ExactDeviceRequest, 'capacity'>

const withoutAsked = <T extends Asked>(request: T): T => without<Asked>(request, 'capacity') as T

const withoutOfRequest = (request: DeviceRequest): DeviceRequest =>
  withDefaults(request, {
    exactly: request.exactly && withoutAsked(request.exactly),
    firstAvailable: request.firstAvailable && mapShared(request.firstAvailable, withoutAsked),
  })

/** Tolerations and constraints stay: where they are dropped, Kubernetes has only a copy in its hands. */
export const claimWithoutDisabled = (claim: DeviceClaim): DeviceClaim =>
  withDefaults(claim, { requests: claim.requests && mapShared(claim.requests, withoutOfRequest) })

const withoutOfResult = (result: DeviceRequestAllocationResult): DeviceRequestAllocationResult =>
  without(result, 'bindingConditions', 'bindingFailureConditions', 'consumedCapacity', 'shareID')

export function allocationWithoutDisabled(allocation: AllocationResult): AllocationResult {
  const kept = without(allocation, 'allocationTimestamp')
  const { devices } = kept
  if (!devices?.results) return kept
  return withDefaults(kept, {
    devices: withDefaults(devices, { results: mapShared(devices.results, withoutOfResult) }),
  })
}

export const statusWithoutDisabled = (device: AllocatedDeviceStatus): AllocatedDeviceStatus =>
  without(device, 'shareID')

function withoutOfDevice(device: Device): Device {
  const kept = without(
    device,
    ...(['taints', 'consumesCounters', 'nodeName', 'nodeSelector', 'allNodes', 'bindingConditions'] as const),
    ...(['bindingFailureConditions', 'bindsToNode', 'allowMultipleAllocations'] as const),
  )
  const { capacity } = kept
  if (!Object.values(capacity ?? {}).some(({ requestPolicy }) => requestPolicy !== undefined)) return kept
  const plain = Object.entries(capacity ?? {}).map(([name, one]) => [name, without(one, 'requestPolicy')] as const)
  return { ...kept, capacity: Object.fromEntries(plain) }
}

export function sliceWithoutDisabled(spec: ResourceSliceSpec): ResourceSliceSpec {
  const kept = without(spec, 'sharedCounters', 'perDeviceNodeSelection')
  const { devices } = kept
  return devices ? withDefaults(kept, { devices: mapShared(devices, withoutOfDevice) }) : kept
}

export const classWithoutDisabled = (spec: DeviceClassSpec): DeviceClassSpec => without(spec, 'extendedResourceName')
