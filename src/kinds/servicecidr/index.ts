// ServiceCIDR (networking.k8s.io/v1).

import { type FieldError, invalid, required } from '../field-error.ts'
import { ServiceCIDR } from '../generated/types.ts'
import type { KindRules } from '../kind.ts'
import { immutableText } from '../metadata/formats.ts'
import { parseRange } from '../network/addresses.ts'
import { checkStandardRange } from '../network/forms.ts'
import { ageColumn, nameColumn, text } from '../table/columns.ts'

const path = 'spec.cidrs'

function validate({ spec }: ServiceCIDR): readonly FieldError[] {
  const ranges = spec?.cidrs ?? []
  if (ranges.length === 0) return [required(path, 'at least one CIDR required')]
  if (ranges.length > 2) return [invalid(path, { CIDRs: ranges }, 'may only hold up to 2 values')]
  const errors: FieldError[] = []
  ranges.forEach((range, i) => {
    checkStandardRange(range, `${path}[${i}]`, errors)
  })
  const [first, second] = ranges.map((range) => parseRange(range)?.family)
  if (first !== undefined && first === second)
    errors.push(
      invalid(path, ranges, 'may specify no more than one IP for each IP family, i.e 192.168.0.0/24 and 2001:db8::/64'),
    )
  return errors
}

/** A second family may be added, and nothing else changed. */
function validateUpdate(object: ServiceCIDR, old: ServiceCIDR): readonly FieldError[] {
  const [ranges, before] = [object.spec?.cidrs ?? [], old.spec?.cidrs ?? []]
  const kept = (count: number): readonly FieldError[] =>
    ranges
      .slice(0, count)
      .flatMap((range, i) => (range === before[i] ? [] : [invalid(`${path}[${i}]`, range, immutableText)]))
  if (before.length === 1 && ranges.length === 2) return [...kept(1), ...validate(object)]
  if (before.length === ranges.length) return kept(ranges.length)
  return [invalid(path, object.spec?.cidrs ?? null, immutableText)]
}

export const serviceCidrRules: KindRules<ServiceCIDR> = {
  kind: ServiceCIDR,
  statusKeepsMetadata: true,
  metaOnUpdate: 'mu',
  generation: 'none',
  validate,
  validateUpdate,
  columns: [
    nameColumn,
    text(
      'CIDRs',
      'CIDRs defines the IP blocks in CIDR notation (e.g. "192.168.0.0/24" or "2001:db8::/64") from which to assign service cluster IPs. Max of two CIDRs is allowed, one of each IP family. This field is immutable.',
      ({ spec }) => spec?.cidrs?.join(',') ?? '',
    ),
    ageColumn,
  ],
}
