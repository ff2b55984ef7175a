// Names one object among all of a cluster, and the tracking annotation that says which application it belongs to:
// `argocd.argoproj.io/tracking-id: app:group/Kind:namespace/name`, Argo CD's own. The annotation repeats the identity of
// its carrier, so that a copy of an object is not taken for a part of the application.

import { type AnyObject, groupOf, type KubeObject } from '#objects'

export const trackingAnnotation = 'argocd.argoproj.io/tracking-id'

export interface ResourceKey {
  readonly group: string
  readonly kind: string
  /** Empty for cluster-scoped objects. */
  readonly namespace: string
  readonly name: string
}

export const keyOf = ({ apiVersion, kind, metadata }: KubeObject): ResourceKey => ({
  group: groupOf(apiVersion),
  kind,
  namespace: metadata.namespace ?? '',
  name: metadata.name ?? '',
})

/** `apps/Deployment:shop/web`; also how people are told of an object. */
export const keyText = ({ group, kind, namespace, name }: ResourceKey): string =>
  `${group === '' ? '' : `${group}/`}${kind}:${namespace === '' ? '' : `${namespace}/`}${name}`

/** `Deployment shop/web`. */
export const shownName = ({ kind, namespace, name }: ResourceKey): string =>
  `${kind} ${namespace === '' ? '' : `${namespace}/`}${name}`

/** Value of the annotation. Cluster-scoped objects carry the application's destination namespace, as in Argo CD. */
export const trackingId = (app: string, key: ResourceKey, destinationNamespace: string): string =>
  `${app}:${key.group}/${key.kind}:${key.namespace === '' ? destinationNamespace : key.namespace}/${key.name}`

interface Tracking {
  readonly app: string
  readonly key: ResourceKey
}

function parseTracking(value: string): Tracking | undefined {
  const match = /^([^:]*):([^/:]*)\/([^:]*):([^/]*)\/(.*)$/s.exec(value)
  if (match === null) return undefined
  const [, app = '', group = '', kind = '', namespace = '', name = ''] = match
  return { app, key: { group, kind, namespace, name } }
}

/** The application that an object says it belongs to; undefined when it says nothing or is a copy of another object. */
export function trackedBy(object: KubeObject): string | undefined {
  const value = object.metadata.annotations?.[trackingAnnotation]
  if (value === undefined) return undefined
  const tracking = parseTracking(value)
  if (tracking === undefined) return undefined
  const { namespace, name } = object.metadata
  const { key } = tracking
  const isItself =
    key.name === name &&
    key.kind === object.kind &&
    key.group === groupOf(object.apiVersion) &&
    (namespace === undefined || namespace === '' || namespace === key.namespace)
  return isItself ? tracking.app : undefined
}

/** The application that an object names, even if the annotation was made for another object, which this one is a copy of. */
export function namedTracker(object: KubeObject): string | undefined {
  const value = object.metadata.annotations?.[trackingAnnotation]
  return value === undefined ? undefined : parseTracking(value)?.app
}

/**
 * Who brought an object, for whoever must not believe what a repository says: a hook got its name after the annotation was
 * made, and a webhook may have written over it, so the annotation counts whatever it says.
 */
export function broughtBy(object: KubeObject): string | undefined {
  const value = object.metadata.annotations?.[trackingAnnotation]
  return value === undefined ? undefined : (parseTracking(value)?.app ?? value)
}

/** A version of `target` that is as much a part of its application as that. */
export function keepTracking(object: AnyObject, target: AnyObject): AnyObject {
  const value = target.metadata.annotations?.[trackingAnnotation]
  if (value === undefined || object.metadata.annotations?.[trackingAnnotation] === value) return object
  const annotations = { ...object.metadata.annotations, [trackingAnnotation]: value }
  return { ...object, metadata: { ...object.metadata, annotations } }
}

/** The object with the annotation that makes it a part of `app`. */
export function withTracking(object: AnyObject, app: string, destinationNamespace: string): AnyObject {
  const value = trackingId(app, keyOf(object), destinationNamespace)
  return {
    ...object,
    metadata: { ...object.metadata, annotations: { ...object.metadata.annotations, [trackingAnnotation]: value } },
  }
}
