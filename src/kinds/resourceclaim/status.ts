// The status of a ResourceClaim: what a write of it may not say, and what goes with an allocation that is taken away.

import { isEqual } from '#objects'
import { checkDriverName } from '../csidriver/index.ts'
import { allocationWithoutDisabled, statusWithoutDisabled } from '../device/disabled-fields.ts'
import { internalAllocation } from '../device/internal.ts'
import { checkLabel, checkPoolName, type Place } from '../device/names.ts'
import { checkReference, checkReferences, requestNames } from '../device/requests.ts'
import { checkConfiguration, checkParameters } from '../device/selectors.ts'
import { checkSet } from '../device/set.ts'
import { type FieldError, forbidden, invalid, notSupported, required, tooLong, tooMany } from '../field-error.ts'
import type {
  AllocatedDeviceStatus,
  AllocationResult,
  DeviceAllocationConfiguration,
  DeviceRequestAllocationResult,
  NetworkDeviceData,
  ResourceV1ResourceClaim as ResourceClaim,
} from '../generated/types.ts'
import { checkConditions } from '../metadata/conditions.ts'
import { byteLength, immutableText } from '../metadata/formats.ts'
import { checkInterfaceAddress } from '../network/addresses.ts'
import { checkNodeSelector } from '../podspec/affinity.ts'
import { mapShared, withDefaults, without } from '../sharing.ts'

const maxReserved = 256
const maxResults = 32
const maxConfigurations = 2 * 32
const maxConditions = 8
const [maxInterfaceName, maxHardwareAddress, maxAddresses] = [256, 128, 16]

type Status = NonNullable<ResourceClaim['status']>
type DeviceRef = Pick<DeviceRequestAllocationResult, 'driver' | 'pool' | 'device'>
const idOf = ({ driver, pool, device }: DeviceRef): string => `${driver}/${pool}/${device}`
/** How Kubernetes shows the identity of a device: the parts are of a type that prints nothing. */
const shownId = { Driver: {}, Pool: {}, Device: {}, ShareID: {} }

const idsOf = (status: Status | undefined): ReadonlySet<string> =>
  new Set((status?.allocation?.devices?.results ?? []).map(idOf))

/** The new claim without what is off, and without the status of devices that are no longer allocated. */
export function prepareStatus(claim: ResourceClaim, old: ResourceClaim): ResourceClaim {
  const { status } = claim
  if (status === undefined) return claim
  const now = idsOf(status)
  const gone = new Set([...idsOf(old.status)].filter((id) => !now.has(id)))
  const kept = withDefaults(status, {
    allocation: status.allocation && allocationWithoutDisabled(status.allocation),
    devices: status.devices && mapShared(status.devices, statusWithoutDisabled),
  })
  const devices = kept.devices?.filter((device) => !gone.has(idOf(device)))
  if (devices === undefined || devices.length === kept.devices?.length) return { ...claim, status: kept }
  return { ...claim, status: devices.length === 0 ? without(kept, 'devices') : { ...kept, devices } }
}

export function validateStatusUpdate(claim: ResourceClaim, old: ResourceClaim): readonly FieldError[] {
  const errors: FieldError[] = []
  const { status = {} } = claim
  const { reservedFor = [], devices = [], allocation } = status
  checkSet(
    reservedFor,
    { path: 'status.reservedFor', max: maxReserved, key: ({ uid }) => uid, field: 'uid', errors },
    ({ resource, name, uid }, at) => {
      if (!resource) errors.push(required(`${at}.resource`))
      if (!name) errors.push(required(`${at}.name`))
      if (!uid) errors.push(required(`${at}.uid`))
    },
  )
  const allocated = idsOf(status)
  checkSet(devices, { path: 'status.devices', key: idOf, field: 'deviceID', shown: shownId, errors }, (device, path) =>
    checkDevice(device, allocated, { path, errors }),
  )
  checkReserved(claim, old, errors)
  const before = old.status?.allocation
  if (allocation !== undefined && before !== undefined) {
    if (!isEqual(allocation, before))
      errors.push(invalid('status.allocation', internalAllocation(allocation), immutableText))
  } else if (allocation !== undefined) checkAllocation(allocation, requestNames(claim.spec.devices), errors)
  return errors
}

function checkReserved({ metadata, status }: ResourceClaim, old: ResourceClaim, errors: FieldError[]): void {
  const { reservedFor = [], allocation } = status ?? {}
  if (reservedFor.length === 0) return
  const path = 'status.reservedFor'
  if (allocation === undefined) errors.push(forbidden(path, 'may not be specified when `allocated` is not set'))
  else if (metadata.deletionTimestamp !== undefined) {
    const before = old.status?.reservedFor ?? []
    if (!reservedFor.every((one) => before.some((other) => isEqual(one, other))))
      errors.push(
        forbidden(path, 'new entries may not be added while `deallocationRequested` or `deletionTimestamp` are set'),
      )
  }
}

function checkAllocation(allocation: AllocationResult, names: ReadonlySet<string>, errors: FieldError[]): void {
  const path = 'status.allocation'
  const { results = [], config = [] } = allocation.devices ?? {}
  checkSet(results, { path: `${path}.devices.results`, max: maxResults, errors }, (result, at) => {
    checkReference(result.request ?? '', names, { path: `${at}.request`, errors })
    checkRef(result, { path: at, errors })
  })
  checkSet(config, { path: `${path}.devices.config`, max: maxConfigurations, errors }, (one, at) => {
    checkSource(one, { path: `${at}.source`, errors })
    checkReferences(one.requests ?? [], names, { path: `${at}.requests`, errors })
    checkConfiguration(one, at, errors)
  })
  if (allocation.nodeSelector !== undefined) checkNodeSelector(allocation.nodeSelector, `${path}.nodeSelector`, errors)
}

function checkRef({ driver, pool, device }: DeviceRef, { path, errors }: Place): void {
  checkDriverName(driver ?? '', `${path}.driver`, errors)
  checkPoolName(pool, { path: `${path}.pool`, errors })
  checkLabel(device, { path: `${path}.device`, errors })
}

const sources = ['FromClaim', 'FromClass']

function checkSource({ source = '' }: DeviceAllocationConfiguration, { path, errors }: Place): void {
  if (source === '') errors.push(required(path))
  else if (!sources.includes(source)) errors.push(notSupported(path, source, sources))
}

function checkDevice(device: AllocatedDeviceStatus, allocated: ReadonlySet<string>, place: Place): void {
  const { path, errors } = place
  checkRef(device, place)
  if (!allocated.has(idOf(device))) errors.push(invalid(path, shownId, 'must be an allocated device in the claim'))
  const { data, networkData } = device
  // An absent list is null in an object that has been decoded.
  const conditions = device.conditions ?? []
  if (conditions.length > maxConditions) errors.push(tooMany(`${path}.conditions`, conditions.length, maxConditions))
  checkConditions(conditions, `${path}.conditions`, errors)
  if (data !== undefined && data !== null) checkParameters(data, { path: `${path}.data`, errors })
  if (networkData !== undefined) checkNetwork(networkData, { path: `${path}.networkData`, errors })
}

function checkNetwork({ interfaceName, hardwareAddress, ips = [] }: NetworkDeviceData, { path, errors }: Place): void {
  if (byteLength(interfaceName ?? '') > maxInterfaceName)
    errors.push(tooLong(`${path}.interfaceName`, maxInterfaceName))
  if (byteLength(hardwareAddress ?? '') > maxHardwareAddress)
    errors.push(tooLong(`${path}.hardwareAddress`, maxHardwareAddress))
  checkSet(ips, { path: `${path}.ips`, max: maxAddresses, key: (ip) => ip, errors }, (ip, at) => {
    checkInterfaceAddress(ip, at, errors)
  })
}
