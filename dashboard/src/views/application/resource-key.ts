// How a resource is named in an address: `group/Kind/namespace/name` with empty parts where there is none.

import type { ResourceRef } from '../../types.ts'

export const resourceKey = (ref: ResourceRef): string =>
  [ref.group ?? '', ref.kind, ref.namespace ?? '', ref.name].join('|')

/** Undefined for what names no resource: addresses are edited, and cut off. */
export function parseResourceKey(key: string): ResourceRef | undefined {
  const [group = '', kind = '', namespace = '', name = ''] = key.split('|')
  if (kind === '' || name === '') return undefined
  return { group, kind, name, ...(namespace === '' ? {} : { namespace }) }
}
