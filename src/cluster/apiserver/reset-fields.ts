// Fields that a write cannot change, by its subresource: nobody comes to own them by sending them. As the resetFields of
// Kubernetes' registry strategies.

import type { Served } from './served.ts'

type Paths = readonly (readonly string[])[]

const none: Paths = []
const status: Paths = [['status']]
const spec: Paths = [['spec']]

/** What writes of `/status` leave alone, where that is not just `spec`. */
const ofStatus: Readonly<Record<string, Paths>> = {
  'apps/Deployment': [['spec'], ['metadata', 'labels']],
  '/Pod': [['spec'], ['metadata', 'deletionTimestamp'], ['metadata', 'ownerReferences']],
}

export function resetFieldsOf({ info }: Served, subresource: string): Paths {
  if (subresource === 'status') return ofStatus[`${info.group}/${info.kind}`] ?? spec
  return info.subresources.some(({ name }) => name === 'status') ? status : none
}
