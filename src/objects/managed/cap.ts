// At most ten entries of updates: the oldest are put together under one name for each version.

import { union } from '../fields/field-set.ts'
import { parseTime } from '../time.ts'
import { keyOfManager, type Manager, type ManagerId, type Managers } from './entries.ts'

const maxUpdateManagers = 10

const seconds = (time: string | undefined): number => Math.floor((parseTime(time) ?? 0) / 1000)

export function capUpdates(managers: Managers): Managers {
  let count = 0
  for (const manager of managers.values()) if (manager.operation === 'Update') count++
  if (count <= maxUpdateManagers) return managers
  const next = new Map(managers)
  const oldest = [...managers]
    .filter(([, manager]) => manager.operation === 'Update')
    .sort(([a, x], [b, y]) => seconds(x.time) - seconds(y.time) || (a < b ? -1 : 1))
  const firstOfVersion = new Map<string, string>()
  for (const [key, manager] of oldest) {
    if (count <= maxUpdateManagers) break
    const { apiVersion } = manager
    const first = firstOfVersion.get(apiVersion)
    if (first === undefined) {
      firstOfVersion.set(apiVersion, key)
      continue
    }
    intoBucket(next, { first, key, manager })
    count--
  }
  return next
}

interface Oldest {
  readonly first: string
  readonly key: string
  readonly manager: Manager
}

function intoBucket(managers: Map<string, Manager>, { first, key, manager }: Oldest): void {
  const id: ManagerId = {
    name: 'ancient-changes',
    operation: 'Update',
    apiVersion: manager.apiVersion,
    subresource: '',
  }
  const bucketKey = keyOfManager(id)
  const bucket = managers.get(bucketKey) ?? managers.get(first)
  if (bucket === undefined) return
  if (!managers.has(bucketKey)) managers.delete(first)
  managers.delete(key)
  managers.set(bucketKey, { ...id, fields: union(manager.fields, bucket.fields), time: manager.time })
}
