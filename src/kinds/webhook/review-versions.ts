// The versions of review objects that a webhook takes, the same for admission and for conversion.

import { type FieldError, invalid, required } from '../field-error.ts'
import { dnsLabel1035 } from '../metadata/formats.ts'

const known = ['v1', 'v1beta1']

/** `emptyText` is said when there are none. */
export function checkReviewVersions(
  versions: readonly string[],
  emptyText: string,
  { path, errors }: { readonly path: string; readonly errors: FieldError[] },
): void {
  if (versions.length === 0) {
    errors.push(required(path, emptyText))
    return
  }
  versions.forEach((version, i) => {
    if (versions.indexOf(version) < i) errors.push(invalid(`${path}[${i}]`, version, 'duplicate version'))
    else for (const fault of dnsLabel1035(version)) errors.push(invalid(`${path}[${i}]`, version, fault))
  })
  if (!versions.some((version) => known.includes(version)))
    errors.push(invalid(path, versions, `must include at least one of ${known.join(', ')}`))
}

export const reviewVersionsText = `must specify one of ${known.join(', ')}`
