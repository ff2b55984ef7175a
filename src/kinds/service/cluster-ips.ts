// Faults of a Service's addresses and families, which must fit one another, and of changes of them.

import { duplicate, type FieldError, invalid, notSupported, required } from '../field-error.ts'
import type { Service, ServiceSpec } from '../generated/types.ts'
import { addressText, isDualStack, isIPv6Text, parseAddress } from '../network/addresses.ts'
import { isHeadless } from './networking.ts'

const families: readonly string[] = ['IPv4', 'IPv6']
const policies: readonly string[] = ['PreferDualStack', 'RequireDualStack', 'SingleStack']

/** The same as a list: the API server says it before it allocates anything. */
export function clusterIPFaults(spec: ServiceSpec): readonly FieldError[] {
  const errors: FieldError[] = []
  checkClusterIPs(spec, errors)
  return errors
}

export function checkClusterIPs(spec: ServiceSpec, errors: FieldError[]): void {
  if (spec.type === 'ExternalName') return
  const { clusterIP = '', clusterIPs = [], ipFamilies = [] } = spec
  const path = 'spec.clusterIPs'
  if (clusterIP === '') {
    if (clusterIPs.length > 0) errors.push(invalid(path, clusterIPs, 'must be empty when `clusterIP` is not specified'))
  } else if (clusterIPs.length === 0) errors.push(required(path))
  else if (clusterIPs[0] !== clusterIP) errors.push(invalid(path, clusterIPs, 'first value must match `clusterIP`'))
  checkFamilies(spec, errors)
  if (!checkAddresses(clusterIPs, path, errors)) return
  if (clusterIPs.length > 1 && !isDualStack(clusterIPs.flatMap((ip) => parseAddress(ip) ?? [])))
    errors.push(invalid(path, clusterIPs, 'may specify no more than one IP for each IP family'))
  if (isHeadless(spec)) return
  clusterIPs.forEach((ip, i) => {
    const family = ipFamilies[i]
    if (family !== undefined && isIPv6Text(ip) !== (family === 'IPv6') && families.includes(family))
      errors.push(invalid(`${path}[${i}]`, ip, `expected an ${family} value as indicated by \`ipFamilies[${i}]\``))
  })
}

function checkFamilies(spec: ServiceSpec, errors: FieldError[]): void {
  const seen = new Set<string>()
  spec.ipFamilies?.forEach((family, i) => {
    if (!families.includes(family)) errors.push(notSupported(`spec.ipFamilies[${i}]`, family, families))
    if (seen.has(family)) errors.push(duplicate(`spec.ipFamilies[${i}]`, family))
    seen.add(family)
  })
  const policy = spec.ipFamilyPolicy
  if (policy !== undefined && !policies.includes(policy))
    errors.push(notSupported('spec.ipFamilyPolicy', policy, policies))
}

/** Whether all are addresses: else nothing more can be said of them. */
function checkAddresses(clusterIPs: readonly string[], path: string, errors: FieldError[]): boolean {
  let sound = true
  clusterIPs.forEach((ip, i) => {
    if (i === 0 && ip === 'None') {
      if (clusterIPs.length > 1) {
        sound = false
        errors.push(invalid(path, clusterIPs, "'None' must be the first and only value"))
      }
    } else if (parseAddress(ip) === undefined) {
      sound = false
      errors.push(invalid(`${path}[${i}]`, ip, addressText))
    }
  })
  if (clusterIPs.length > 2) errors.push(invalid(path, clusterIPs, 'may only hold up to 2 values'))
  return sound
}

/** Addresses may be added (dual stack) or released from the end, not exchanged. */
export function checkClusterIPChange(service: Service, old: Service, errors: FieldError[]): void {
  const [spec, before] = [service.spec ?? {}, old.spec ?? {}]
  if (spec.type === 'ExternalName' || before.type === 'ExternalName') return
  if (isHeadless(spec) && isHeadless(before)) return
  const [now, was] = [spec.clusterIPs ?? [], before.clusterIPs ?? []]
  const shown = now.length === 0 ? null : now
  const changed = (i: number): void => {
    errors.push(invalid(`spec.clusterIPs[${i}]`, shown, 'may not change once set'))
  }
  if (now.length === was.length) {
    was.forEach((ip, i) => {
      if (ip !== now[i]) changed(i)
    })
  } else if (was.length > now.length) {
    if (now.length === 0) errors.push(invalid('spec.clusterIPs[0]', shown, 'primary clusterIP can not be unset'))
    else if (now[0] !== was[0]) changed(0)
    if (now.length === 1 && spec.ipFamilyPolicy !== 'SingleStack')
      errors.push(
        invalid(
          'spec.ipFamilyPolicy',
          spec.ipFamilyPolicy ?? null,
          "must be set to 'SingleStack' when releasing the secondary clusterIP",
        ),
      )
  } else if (was.length > 0 && now[0] !== was[0]) changed(0)
}

export function checkFamilyChange(service: Service, old: Service, errors: FieldError[]): void {
  const [spec, before] = [service.spec ?? {}, old.spec ?? {}]
  if (spec.type === 'ExternalName' || before.type === 'ExternalName') return
  if (isHeadless(spec) || isHeadless(before)) return
  const [now, was] = [spec.ipFamilies ?? [], before.ipFamilies ?? []]
  const changed = (shown: readonly string[] | undefined): void => {
    errors.push(invalid('spec.ipFamilies[0]', shown ?? null, 'may not change once set'))
  }
  if (now.length === was.length) {
    was.forEach((family, i) => {
      if (family !== now[i]) changed(now)
    })
    return
  }
  const isReleased = was.length > now.length
  if (isReleased && (spec.clusterIPs ?? []).length === 0)
    errors.push(invalid('spec.ipFamilies[0]', now.length === 0 ? null : now, 'primary ipFamily can not be unset'))
  if (now.length > 0 && was.length > 0 && now[0] !== was[0]) changed(spec.clusterIPs)
  if (isReleased && now.length === 1 && spec.ipFamilyPolicy !== 'SingleStack')
    errors.push(
      invalid(
        'spec.ipFamilyPolicy',
        spec.ipFamilyPolicy ?? null,
        "must be set to 'SingleStack' when releasing the secondary ipFamily",
      ),
    )
}
