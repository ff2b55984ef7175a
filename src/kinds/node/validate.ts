// Faults of Nodes.

import { duplicate, type FieldError, forbidden, internal, invalid, notSupported, required } from '../field-error.ts'
import type { Node, Taint } from '../generated/types.ts'
import { asGoStruct, goStruct } from '../go-struct.ts'
import { labelValue } from '../metadata/formats.ts'
import { checkLabelName } from '../metadata/validate.ts'
import { checkRange, isDualStack, parseRange } from '../network/addresses.ts'
import { taintEffects } from '../podspec/affinity.ts'
import { checkAmount } from '../quantity/resources.ts'

const internalTaint = goStruct('Key="" Value="" Effect="" TimeAdded')

function checkTaints(taints: readonly Taint[], path: string, errors: FieldError[]): void {
  const seen = new Set<string>()
  taints.forEach((taint, i) => {
    const at = `${path}[${i}]`
    const { key = '', value = '' } = taint
    const effect: string = taint.effect ?? ''
    checkLabelName(key, `${at}.key`, errors)
    const faults = labelValue(value)
    if (faults.length > 0) errors.push(invalid(`${at}.value`, value, faults.join(';')))
    if (effect === '') errors.push(required(`${at}.effect`))
    else if (!taintEffects.includes(effect)) errors.push(notSupported(`${at}.effect`, effect, taintEffects))
    const id = `${effect}/${key}`
    if (seen.has(id))
      errors.push(duplicate(at, asGoStruct(internalTaint, taint), 'taints must be unique by key and effect pair'))
    seen.add(id)
  })
}

function checkStatus({ status }: Node, errors: FieldError[]): void {
  for (const list of ['capacity', 'allocatable'] as const)
    for (const [name, amount] of Object.entries(status?.[list] ?? {}))
      checkAmount(name, amount, { path: `status.${list}.${name}`, errors })
}

export function validateNode(node: Node): readonly FieldError[] {
  const errors: FieldError[] = []
  checkTaints(node.spec?.taints ?? [], 'metadata.taints', errors)
  const swap = node.status?.nodeInfo?.swap?.capacity
  if (swap !== undefined && swap <= 0)
    errors.push(invalid('metadata.nodeSwapStatus.capacity', swap, 'must be greater than zero'))
  checkStatus(node, errors)
  const ranges = node.spec?.podCIDRs ?? []
  ranges.forEach((range, i) => {
    checkRange(range, `spec.podCIDRs[${i}]`, errors)
  })
  if (ranges.length > 1) checkSeveralRanges(ranges, 'spec.podCIDRs', errors)
  return errors
}

function checkSeveralRanges(ranges: readonly string[], path: string, errors: FieldError[]): void {
  const parsed = ranges.map(parseRange)
  const bad = parsed.indexOf(undefined)
  if (bad >= 0) {
    const told = `invalid CIDR[${bad}]: <nil> (invalid CIDR address: ${ranges[bad]})`
    errors.push(internal(path, `invalid PodCIDRs. failed to check with dual stack with error:${told}`))
  }
  if (bad >= 0 || ranges.length > 2 || !isDualStack(parsed.flatMap((range) => range ?? [])))
    errors.push(invalid(path, ranges, 'may specify no more than one CIDR for each IP family'))
  ranges.forEach((range, i) => {
    if (ranges.indexOf(range) < i) errors.push(duplicate(`${path}[${i}]`, range))
  })
}

/** Kubernetes checks the node as a new one, too. */
export const validateNodeUpdate = (node: Node, old: Node): readonly FieldError[] => [
  ...validateNode(node),
  ...validateNodeChange(node, old),
]

export function validateNodeChange(node: Node, old: Node): readonly FieldError[] {
  const errors: FieldError[] = []
  const [spec, before] = [node.spec ?? {}, old.spec ?? {}]
  checkStatus(node, errors)
  const seen = new Set<string>()
  node.status?.addresses?.forEach(({ type, address }, i) => {
    if (seen.has(`${type}/${address}`))
      errors.push(duplicate(`status.addresses[${i}]`, { Type: type, Address: address }))
    seen.add(`${type}/${address}`)
  })
  const rangeText = 'node updates may not change podCIDR except from "" to valid'
  const [ranges, oldRanges] = [spec.podCIDRs ?? [], before.podCIDRs ?? []]
  if (oldRanges.length > 0) {
    if (ranges.length !== oldRanges.length) errors.push(forbidden('spec.podCIDRs', rangeText))
    else
      for (const [i, range] of oldRanges.entries())
        if (range !== ranges[i]) errors.push(forbidden('spec.podCIDRs', rangeText))
  }
  if (before.providerID && before.providerID !== spec.providerID)
    errors.push(forbidden('spec.providerID', 'node updates may not change providerID except from "" to valid'))
  checkTaints(spec.taints ?? [], 'metadata.taints', errors)
  if ((spec.externalID ?? '') !== (before.externalID ?? ''))
    errors.push(forbidden('spec.externalID', 'may not be updated'))
  return errors
}
