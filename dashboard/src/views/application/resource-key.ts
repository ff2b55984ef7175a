// How a resource is named in an address: `group/Kind/namespace/name` with empty parts where there is none.

import type { ResourceRef } from '../../types.ts'

export const resourceKey = (ref: ResourceRef): string =>
  [ref.group ?? '', ref.kind, ref.namespace ?? '', ref.name].join('|')

export function parseResourceKey(key: string): ResourceRef {
  const [group = '', kind = '', namespace = '', name = ''] = key.split('|')
  return { group, kind, name, ...(namespace === '' ? {} : { namespace }) }
}
