// What claims ask of devices, in ResourceClaims and their templates: defaults and faults
// (pkg/apis/resource/v1/defaults.go, pkg/apis/resource/validation).

import { type FieldError, invalid, notSupported, required } from '../field-error.ts'
import type {
  DeviceClaim,
  DeviceConstraint,
  DeviceRequest,
  DeviceToleration,
  ExactDeviceRequest,
} from '../generated/types.ts'
import { dnsSubdomain, labelValue, qualifiedName } from '../metadata/formats.ts'
import { mapShared, withDefaults } from '../sharing.ts'
import { checkFullyQualifiedName, checkLabel, type Place } from './names.ts'
import { checkConfiguration, checkSelectors } from './selectors.ts'
import { checkSet } from './set.ts'

const maxRequests = 32
const maxConstraints = 32
const maxConfigurations = 32
const maxAlternatives = 8
const exactCount = 'ExactCount'

type Amount = Pick<ExactDeviceRequest, 'allocationMode' | 'count' | 'tolerations'>

function amountDefaults<T extends Amount>(request: T): T {
  const allocationMode = request.allocationMode || exactCount
  const count = allocationMode === exactCount ? request.count || 1 : request.count
  const tolerations = request.tolerations && mapShared(request.tolerations, tolerationDefaults)
  return withDefaults<Amount>(request, { allocationMode, count, tolerations }) as T
}

const tolerationDefaults = (toleration: DeviceToleration): DeviceToleration =>
  withDefaults(toleration, { operator: toleration.operator || 'Equal' })

export function claimDefaults(claim: DeviceClaim): DeviceClaim {
  // An absent list is null in an object that has been decoded.
  const requests = claim.requests ?? undefined
  if (requests === undefined) return claim
  return withDefaults(claim, {
    requests: mapShared(requests, (request) =>
      withDefaults(request, {
        exactly: request.exactly && amountDefaults(request.exactly),
        firstAvailable: request.firstAvailable && mapShared(request.firstAvailable, amountDefaults),
      }),
    ),
  })
}

/** What others may refer to: requests, and alternatives within them. */
export const requestNames = (claim: DeviceClaim | undefined): ReadonlySet<string> =>
  new Set(
    (claim?.requests ?? []).flatMap(({ name = '', firstAvailable = [] }) => [
      name,
      ...firstAvailable.map((alternative) => `${name}/${alternative.name}`),
    ]),
  )

/** `path` is that of the claim's `devices`. */
export function checkClaim(claim: DeviceClaim, path: string, errors: FieldError[]): void {
  const requests = claim.requests ?? []
  const names = requestNames(claim)
  checkSet(
    requests,
    { path: `${path}.requests`, max: maxRequests, key: ({ name }) => name, field: 'name', errors },
    checkRequest,
  )
  checkSet(claim.constraints ?? [], { path: `${path}.constraints`, max: maxConstraints, errors }, (constraint, at) => {
    checkConstraint(constraint, names, { path: at, errors })
  })
  checkSet(claim.config ?? [], { path: `${path}.config`, max: maxConfigurations, errors }, (config, at) => {
    checkReferences(config.requests ?? [], names, { path: `${at}.requests`, errors })
    checkConfiguration(config, at, errors)
  })
}

function checkRequest(request: DeviceRequest, path: string, errors: FieldError[]): void {
  const { name, exactly, firstAvailable = [] } = request
  checkLabel(name, { path: `${path}.name`, errors })
  checkSet(
    firstAvailable,
    { path: `${path}.firstAvailable`, max: maxAlternatives, key: (one) => one.name, field: 'name', errors },
    (alternative, at) => {
      checkLabel(alternative.name, { path: `${at}.name`, errors })
      checkExact(alternative, at, errors)
    },
  )
  if (exactly !== undefined) checkExact(exactly, `${path}.exactly`, errors)
  const text = 'exactly one of `exactly` or `firstAvailable` is required'
  if (exactly === undefined && firstAvailable.length === 0) errors.push(required(path, text))
  if (exactly !== undefined && firstAvailable.length > 0)
    errors.push(invalid(path, null, `${text}, but multiple fields are set`))
}

function checkExact(request: ExactDeviceRequest, path: string, errors: FieldError[]): void {
  const { deviceClassName = '', selectors = [], allocationMode = '', count = 0, tolerations = [] } = request
  const at = `${path}.deviceClassName`
  if (deviceClassName === '') errors.push(required(at))
  else for (const fault of dnsSubdomain(deviceClassName)) errors.push(invalid(at, deviceClassName, fault))
  checkSelectors(selectors, `${path}.selectors`, errors)
  if (allocationMode === 'All') {
    if (count !== 0) errors.push(invalid(`${path}.count`, count, "must not be specified when allocationMode is 'All'"))
  } else if (allocationMode !== exactCount)
    errors.push(notSupported(`${path}.allocationMode`, allocationMode, ['All', exactCount]))
  else if (count <= 0) errors.push(invalid(`${path}.count`, count, 'must be greater than zero'))
  tolerations.forEach((toleration, i) => {
    checkToleration(toleration, { path: `${path}.tolerations[${i}]`, errors })
  })
}

function checkToleration(toleration: DeviceToleration, { path, errors }: Place): void {
  const { key = '', operator = '', value = '', effect } = toleration as Readonly<Record<string, string | undefined>>
  if (key !== '') for (const fault of qualifiedName(key)) errors.push(invalid(`${path}.key`, key, fault))
  if (operator === 'Exists') {
    if (value !== '') errors.push(invalid(`${path}.value`, value, 'must be empty for operator `Exists`'))
  } else if (operator === 'Equal')
    for (const fault of labelValue(value)) errors.push(invalid(`${path}.value`, value, fault))
  else if (operator === '') errors.push(required(`${path}.operator`))
  else errors.push(notSupported(`${path}.operator`, operator, ['Equal', 'Exists']))
  if (effect !== undefined && effect !== '' && effect !== 'NoExecute' && effect !== 'NoSchedule')
    errors.push(notSupported(`${path}.effect`, effect, ['NoExecute', 'NoSchedule']))
}

function checkConstraint(constraint: DeviceConstraint, names: ReadonlySet<string>, { path, errors }: Place): void {
  checkReferences(constraint.requests ?? [], names, { path: `${path}.requests`, errors })
  const field = constraint.matchAttribute === undefined ? 'distinctAttribute' : 'matchAttribute'
  const attribute = constraint[field]
  if (attribute === undefined) errors.push(required(`${path}.matchAttribute`))
  else checkFullyQualifiedName(attribute, { path: `${path}.${field}`, errors })
}

const referenceText =
  "must be the name of a request in the claim or the name of a request and a subrequest separated by '/'"

export function checkReferences(references: readonly string[], names: ReadonlySet<string>, place: Place): void {
  const { path, errors } = place
  checkSet(references, { path, max: maxRequests, key: (name) => name, errors }, (name, at) => {
    checkReference(name, names, { path: at, errors })
  })
}

export function checkReference(name: string, names: ReadonlySet<string>, { path, errors }: Place): void {
  const parts = name.split('/')
  if (parts.length <= 2) for (const part of parts) checkLabel(part, { path, errors })
  if (parts.length > 2 || !names.has(name)) errors.push(invalid(path, name, referenceText))
}
