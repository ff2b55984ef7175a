// What admission sees of the server: built-in kinds as they are kept, and the one write that it makes itself.

import { type AdmissionChoice, type AdmissionState, defaultHosts, mayCall, type WebhookNetwork } from '#admission'
import type { AnyObject } from '#objects'
import { kindOf } from './admit.ts'
import { completed } from './body.ts'
import { expectedKind, expectedOf } from './body-expected.ts'
import type { Core } from './core.ts'
import { rewrite } from './rewrite.ts'
import { fromStored, keyOf, type Served, shown, toStored } from './served.ts'
import { type Soon, whenDone } from './soon.ts'
import { scaleOf, withScale } from './subresources/scale.ts'

/** Whether a subresource is sent something else than the object or its Scale. */
const isForeign = ({ info }: Served, subresource: string): boolean =>
  subresource !== '' && subresource !== 'scale' && kindOf(info, subresource).kind !== info.kind

/** From the version that a webhook saw back to the form that rules see: see ruledForm. */
const ruledAgain = (own: Served, seen: Served, object: AnyObject): Soon<AnyObject> =>
  own.custom === undefined ? toStored(seen, object) : shown(own, object)

type AnyKind = Parameters<AdmissionState['count']>[0]

interface Outside {
  readonly network: WebhookNetwork | undefined
  /** Where webhooks may be called. */
  readonly hosts: AdmissionChoice['webhookHosts']
}

export function admissionState(
  core: () => Core,
  { world, store, registry }: Pick<Core, 'world' | 'store' | 'registry'>,
  { network, hosts = defaultHosts }: Outside,
): AdmissionState {
  const bucketOf = (kind: AnyKind): string | undefined => registry.find(kind)?.bucket
  const prefixOf = (namespace: string | undefined): string | undefined =>
    namespace === undefined ? undefined : `${namespace}/`
  const versions = { generation: -1, byBucket: new Map<string, Served[]>() }
  /** All that objects of one bucket are served as. */
  const versionsOf = (bucket: string): readonly Served[] => {
    const { byBucket } = versions
    if (versions.generation !== registry.generation) {
      byBucket.clear()
      for (const served of registry.all()) byBucket.set(served.bucket, [...(byBucket.get(served.bucket) ?? []), served])
      versions.generation = registry.generation
    }
    return byBucket.get(bucket) ?? []
  }
  return {
    world,
    ...(network === undefined ? {} : { network }),
    mayCall: (address) => mayCall(hosts, address),
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
    decide: (question) => core().decide(question),
    count(kind, namespace) {
      const bucket = bucketOf(kind)
      const all = bucket === undefined ? 0 : store.count(bucket)
      return bucket === undefined || all === 0 || namespace === undefined
        ? all
        : store.count(bucket, prefixOf(namespace))
    },
    equivalents({ resource, subresource }) {
      const served = registry.find(resource)
      if (served === undefined) return []
      return versionsOf(served.bucket)
        .filter((other) => other !== served)
        .map(({ info }) => ({ resource: info, kind: kindOf(info, subresource) }))
    },
    present(object, target, { subresource }) {
      const served = registry.find(target.resource)
      // What is sent to other subresources of a kind of its own is no object of the store.
      if (served === undefined || isForeign(served, subresource)) return object
      return whenDone(shown(served, object), (made) => (subresource === 'scale' ? scaleOf(served, made) : made))
    },
    restore(changed, before, target, { resource, subresource }) {
      const served = registry.find(target.resource)
      if (served === undefined) return changed
      const own = registry.find(resource) ?? served
      const { kind } = target
      if (isForeign(served, subresource)) return completed(expectedKind(kind.group, kind.version, kind.kind), changed)
      if (subresource !== 'scale') return ruledAgain(own, served, completed(expectedOf(served), changed))
      const scale = completed(expectedKind('autoscaling', 'v1', 'Scale'), changed)
      return ruledAgain(own, served, withScale(served, fromStored(served, before), scale))
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
