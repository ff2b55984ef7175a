// What admission sees of the server: built-in kinds as they are kept, and the one write that it makes itself.

import type { AdmissionState, WebhookNetwork } from '#admission'
import type { AnyObject } from '#objects'
import { completed } from './body.ts'
import type { Core } from './core.ts'
import { rewrite } from './rewrite.ts'
import { keyOf } from './served.ts'

type AnyKind = Parameters<AdmissionState['count']>[0]

export function admissionState(
  core: () => Core,
  { world, store, registry }: Pick<Core, 'world' | 'store' | 'registry'>,
  network?: WebhookNetwork,
): AdmissionState {
  const bucketOf = (kind: AnyKind): string | undefined => registry.find(kind)?.bucket
  const prefixOf = (namespace: string | undefined): string | undefined =>
    namespace === undefined ? undefined : `${namespace}/`
  return {
    world,
    ...(network === undefined ? {} : { network }),
    get(kind, namespace, name) {
      const served = registry.find(kind)
      if (served === undefined) return undefined
      return store.get(served.bucket, keyOf(served, namespace, name))?.value as never
    },
    list(kind, namespace) {
      const bucket = bucketOf(kind)
      const prefix = prefixOf(namespace)
      if (bucket === undefined || store.count(bucket) === 0) return []
      return store.list(bucket, prefix === undefined ? {} : { prefix }).entries.map(({ value }) => value as never)
    },
    kindOf(apiVersion, kind) {
      for (const served of registry.all())
        if (served.apiVersion === apiVersion && served.info.kind === kind) return served.info
      return undefined
    },
    count(kind, namespace) {
      const bucket = bucketOf(kind)
      const all = bucket === undefined ? 0 : store.count(bucket)
      return bucket === undefined || all === 0 || namespace === undefined
        ? all
        : store.count(bucket, prefixOf(namespace))
    },
    complete(request, object) {
      const served = registry.find(request.resource)
      return served === undefined ? object : completed(served, object)
    },
    writeStatus(kind, object) {
      const served = registry.find(kind)
      const { namespace, name = '' } = object.metadata
      const entry = served === undefined ? undefined : store.get(served.bucket, keyOf(served, namespace, name))
      if (served === undefined || entry === undefined) return
      rewrite(core(), served, entry, { ...entry.value, status: (object as unknown as AnyObject)['status'] })
    },
  }
}
