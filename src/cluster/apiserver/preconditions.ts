// What an update may ask for beforehand: that the object is still the one it knows, by uid and by version.

import type { FieldError } from '#kinds'
import type { AnyObject } from '#objects'
import { conflict, invalidError, plainError, staleVersion } from './errors.ts'
import { numberFault } from './query-values.ts'
import type { Scope } from './scope.ts'
import { keyOf } from './served.ts'

/** Folders of etcd that are not named after what is in them. */
const folders: Readonly<Record<string, string>> = {
  endpoints: 'services/endpoints',
  ingresses: 'ingress',
  nodes: 'minions',
  replicationcontrollers: 'controllers',
  services: 'services/specs',
}

/** Servers of their own, which keep resources by group. */
const byGroup: readonly string[] = ['apiextensions.k8s.io', 'apiregistration.k8s.io']

/** Where Kubernetes keeps an object in etcd, which some of its errors tell. */
function storageKey({ served, namespace, name }: Scope): string {
  const { group, resource } = served.info
  const folder =
    served.custom !== undefined || byGroup.includes(group) ? `${group}/${resource}` : (folders[resource] ?? resource)
  return `/registry/${folder}/${keyOf(served, namespace, name)}`
}

/** A uid that is named is that of the object there is. */
export function checkUid(scope: Scope, uid: string | undefined, old: AnyObject | undefined): void {
  if (uid === undefined || uid === '' || uid === old?.metadata.uid) return
  const why = `Precondition failed: UID in precondition: ${uid}, UID in object meta: ${old?.metadata.uid ?? ''}`
  const text = `StorageError: invalid object, Code: 4, Key: ${storageKey(scope)}, ResourceVersion: 0, AdditionalErrorMsg: ${why}`
  throw conflict(scope.served.info, scope.name, text)
}

/** Optimistic concurrency: a version that is named must be the newest. */
export function checkVersion(scope: Scope, object: AnyObject, old: AnyObject): void {
  const { info, strategy } = scope.served
  const { resourceVersion = '' } = object.metadata
  if (resourceVersion === '' || resourceVersion === '0') {
    if (strategy.allowUnconditionalUpdate || scope.subresource === 'scale') return
    const fault: FieldError = {
      type: 'FieldValueInvalid',
      field: 'metadata.resourceVersion',
      message: 'Invalid value: 0: must be specified for an update',
    }
    throw invalidError({ group: info.group, kind: info.resource }, scope.name, [fault])
  }
  if (resourceVersion === old.metadata.resourceVersion) return
  const fault = numberFault(resourceVersion, 'ParseUint')
  if (fault !== undefined) throw plainError(fault)
  throw conflict(info, scope.name, staleVersion)
}
