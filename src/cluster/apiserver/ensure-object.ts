// Objects that the server itself makes, where they are missing.

import type { Kind } from '#kinds'
import type { AnyObject, KubeObject } from '#objects'
import type { Core } from './core.ts'
import { creationOf } from './managed.ts'
import { newMetadata } from './object-meta.ts'
import { Scope } from './scope.ts'
import { keyOf, toStored } from './served.ts'

const caller = { user: 'system:apiserver', groups: ['system:masters'], userAgent: 'kube-apiserver/v1.34' }
const never = new AbortController().signal

/** Creates `object` unless its name is taken. Skips admission, as what it asks for may not exist yet. */
export function ensureObject(core: Core, kind: Kind<never> | Kind, object: KubeObject): void {
  const served = core.registry.find(kind)
  if (served === undefined) return
  const { namespace, name = '' } = object.metadata
  const key = keyOf(served, namespace, name)
  if (core.store.get(served.bucket, key) !== undefined) return
  const request = { verb: 'create', resource: kind, caller, ...(namespace === undefined ? {} : { namespace }) } as const
  const scope = new Scope(core, served, request, never)
  const incoming = served.strategy.defaults({ ...(object as AnyObject), metadata: newMetadata(scope, object.metadata) })
  const value = served.strategy.prepareForCreate(toStored(served, incoming))
  const entry = core.store.put(served.bucket, key, 0, (revision) => ({
    value: { ...value, metadata: { ...value.metadata, resourceVersion: String(revision) } },
    attachment: creationOf(scope, incoming),
  }))
  core.wrote(served, entry, undefined)
}
