// Faults of a change of a Pod's status.

import { duplicate, type FieldError, forbidden, internal, invalid } from '../field-error.ts'
import type { ContainerStatus, Pod, PodCondition } from '../generated/types.ts'
import { dnsSubdomain, immutableText, numericId, qualifiedName } from '../metadata/formats.ts'
import { checkAddress, isDualStack, parseAddress } from '../network/addresses.ts'
import { checkAnnotationChanges } from './update.ts'

const systemConditions: readonly string[] = ['PodScheduled', 'Ready', 'Initialized']

export function validatePodStatus(pod: Pod, old: Pod): readonly FieldError[] {
  const errors: FieldError[] = []
  const { status = {} } = pod
  const before = old.status ?? {}
  checkAnnotationChanges(pod, old, errors)
  checkConditions(status.conditions ?? [], errors)
  const { nominatedNodeName } = status
  if (nominatedNodeName && nominatedNodeName !== before.nominatedNodeName)
    for (const text of dnsSubdomain(nominatedNodeName))
      errors.push(invalid('status.nominatedNodeName', nominatedNodeName, text))
  checkGeneration(status.observedGeneration, 'status.observedGeneration', errors)
  if (status.qosClass !== before.qosClass && before.qosClass !== undefined)
    errors.push(invalid('status.qosClass', status.qosClass, immutableText))
  checkTransitions(pod, old, errors)
  checkClaims(pod, errors)
  checkAddresses(status.podIPs ?? [], before.podIPs ?? [], { path: 'status.podIPs', errors })
  const hostIPs = status.hostIPs ?? []
  if (hostIPs[0] !== undefined && (status.hostIP ?? '') !== hostIPs[0].ip)
    errors.push(invalid('status.hostIPs[0].ip', hostIPs[0].ip, 'must be equal to `hostIP`'))
  checkAddresses(hostIPs, before.hostIPs ?? [], { path: 'status.hostIPs', errors })
  for (const field of ['containerStatuses', 'initContainerStatuses', 'ephemeralContainerStatuses'] as const)
    status[field]?.forEach((container, i) => {
      checkUser(container, pod.spec.os?.name, { path: `status.${field}[${i}].user.linux`, errors })
    })
  return errors
}

function checkConditions(conditions: readonly PodCondition[], errors: FieldError[]): void {
  conditions.forEach(({ type, observedGeneration }, i) => {
    const path = `status.conditions[${i}]`
    checkGeneration(observedGeneration, `${path}.observedGeneration`, errors)
    if (!systemConditions.includes(type))
      for (const text of qualifiedName(type)) errors.push(invalid(`${path}.Type`, type, text))
  })
}

function checkGeneration(generation: number | undefined, path: string, errors: FieldError[]): void {
  if (generation !== undefined && generation < 0)
    errors.push(invalid(path, generation, 'must be a non-negative integer'))
}

/** Claims made for the pod belong to the entries of its spec. */
function checkClaims({ spec, status }: Pod, errors: FieldError[]): void {
  const known = new Set((spec.resourceClaims ?? []).map(({ name }) => name))
  const seen = new Set<string>()
  status?.resourceClaimStatuses?.forEach(({ name, resourceClaimName }, i) => {
    const path = `status.resourceClaimStatuses[${i}].name`
    if (!known.has(name)) errors.push(invalid(path, name, 'must match the name of an entry in `spec.resourceClaims`'))
    if (seen.has(name)) errors.push(duplicate(path, name))
    seen.add(name)
    if (resourceClaimName !== undefined)
      for (const text of dnsSubdomain(resourceClaimName)) errors.push(invalid(path, resourceClaimName, text))
  })
}

interface Target {
  readonly path: string
  readonly errors: FieldError[]
}

function checkTransitions(pod: Pod, old: Pod, errors: FieldError[]): void {
  const policy = old.spec.restartPolicy ?? 'Always'
  const sidecars = new Set(
    (old.spec.initContainers ?? []).filter((c) => c.restartPolicy === 'Always').map(({ name }) => name),
  )
  for (const field of ['containerStatuses', 'initContainerStatuses', 'ephemeralContainerStatuses'] as const) {
    const restarts = field === 'ephemeralContainerStatuses' ? 'Never' : policy
    if (restarts === 'Always') continue
    old.status?.[field]?.forEach((before, i) => {
      const ended = before.state?.terminated
      if (ended === undefined || (ended.exitCode !== 0 && restarts === 'OnFailure')) return
      if (field === 'initContainerStatuses' && sidecars.has(before.name)) return
      const now = pod.status?.[field]?.filter(({ name }) => name === before.name) ?? []
      for (const status of now)
        if (status.state?.terminated === undefined)
          errors.push(forbidden(`status.${field}[${i}].state`, 'may not be transitioned to non-terminated state'))
    })
  }
}

type Addresses = readonly { readonly ip: string }[]

/** What was there before is not looked at again. */
function checkAddresses(list: Addresses, old: Addresses, { path, errors }: Target): void {
  const before = new Set(old.map(({ ip }) => ip))
  list.forEach(({ ip }, i) => {
    if (!before.has(ip)) checkAddress(ip, `${path}[${i}]`, errors)
  })
  if (list.length < 2) return
  const addresses = list.map(({ ip }) => ip)
  // Which of the two is told first differs between the lists.
  const checks = [checkFamilies, checkTwice]
  for (const check of path === 'status.hostIPs' ? checks.reverse() : checks) check(addresses, { path, errors })
}

function checkFamilies(addresses: readonly string[], { path, errors }: Target): void {
  const parsed = addresses.map(parseAddress)
  const bad = parsed.indexOf(undefined)
  if (bad >= 0)
    errors.push(internal(path, `failed to check for dual stack with error:invalid IP[${bad}]: ${addresses[bad]}`))
  if (bad >= 0 || addresses.length > 2 || !isDualStack(parsed.flatMap((address) => address ?? []))) {
    const shown = addresses.map((address) => ({ IP: address }))
    errors.push(invalid(path, shown, 'may specify no more than one IP for each IP family'))
  }
}

function checkTwice(addresses: readonly string[], { path, errors }: Target): void {
  addresses.forEach((address, i) => {
    if (addresses.indexOf(address) < i) errors.push(duplicate(`${path}[${i}]`, { IP: address }))
  })
}

function checkUser(status: ContainerStatus, system: string | undefined, { path, errors }: Target): void {
  const user = status.user?.linux
  if (user === undefined) return
  if (system === 'windows') {
    errors.push(forbidden(path, 'cannot be set for a windows pod'))
    return
  }
  for (const field of ['uid', 'gid'] as const)
    for (const text of numericId(user[field])) errors.push(invalid(`${path}.${field}`, user[field], text))
  user.supplementalGroups?.forEach((group, i) => {
    for (const text of numericId(group)) errors.push(invalid(`${path}.supplementalGroups[${i}]`, group, text))
  })
}
