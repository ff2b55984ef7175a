// ServiceCIDR (networking.k8s.io/v1).

import { isEqual } from '#objects'
import { type FieldError, invalid, required } from '../field-error.ts'
import { ServiceCIDR } from '../generated/types.ts'
import type { KindRules } from '../kind.ts'
import { immutableText } from '../metadata/formats.ts'
import { checkRange, parseRange } from '../network/addresses.ts'
import { ageColumn, nameColumn, text } from '../table/columns.ts'

const path = 'spec.cidrs'

function validate({ spec }: ServiceCIDR): readonly FieldError[] {
  const errors: FieldError[] = []
  const ranges = spec?.cidrs ?? []
  if (ranges.length === 0) errors.push(required(path, 'at least one CIDR required'))
  if (ranges.length > 2) errors.push(invalid(path, ranges, 'may only hold up to 2 values'))
  const families = new Set(ranges.map((range) => parseRange(range)?.family))
  if (ranges.length === 2 && families.size < 2)
    errors.push(
      invalid(path, ranges, 'may specify no more than one IP for each IP family, i.e 192.168.0.0/24 and 2001:db8::/96'),
    )
  ranges.forEach((range, i) => {
    checkRange(range, `${path}[${i}]`, errors)
  })
  return errors
}

export const serviceCidrRules: KindRules<ServiceCIDR> = {
  kind: ServiceCIDR,
  generation: 'none',
  validate,
  validateUpdate: ({ spec }, old) =>
    isEqual(spec?.cidrs, old.spec?.cidrs) ? [] : [invalid(path, spec?.cidrs ?? null, immutableText)],
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
