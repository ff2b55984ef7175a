// Takes the objects of a definition that is deleted away, each by the same delete that a client would send
// (apiextensions-apiserver/pkg/controller/finalizer/crd_finalizer.go).

import type { Core } from '../core.ts'
import { deleteObject } from '../delete.ts'
import { Scope } from '../scope.ts'
import { keyOf, type Served, shown } from '../served.ts'

const caller = { user: 'system:apiserver', groups: ['system:masters'], userAgent: 'kube-apiserver/v1.34' }
const never = new AbortController().signal

const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error))

/** Undefined, or what kept some object from being deleted, as the definition's condition tells it. */
export async function deleteInstances(core: Core, served: Served): Promise<string | undefined> {
  const listed = core.store.list(served.bucket).entries
  try {
    for (const { value } of listed) await shown(served, value)
  } catch (error) {
    return `could not list instances: ${messageOf(error)}`
  }
  const faults = new Set<string>()
  for (const { value } of listed) {
    const { name = '', namespace } = value.metadata
    if (core.store.get(served.bucket, keyOf(served, namespace, name)) === undefined) continue
    const request = {
      verb: 'delete',
      resource: served.info,
      caller,
      name,
      ...(namespace === undefined ? {} : { namespace }),
    } as const
    try {
      await deleteObject(new Scope(core, served, request, never), {})
    } catch (error) {
      faults.add(messageOf(error))
    }
  }
  if (faults.size === 0) return undefined
  const [only] = faults
  return `could not issue all deletes: ${faults.size === 1 ? only : `[${[...faults].join(', ')}]`}`
}
