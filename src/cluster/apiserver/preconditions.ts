// What an update may ask for beforehand: that the object is still the one it knows, by uid and by version.

import type { FieldError } from '#kinds'
import type { AnyObject } from '#objects'
import { conflict, invalidError, plainError, staleVersion } from './errors.ts'
import { numberFault } from './query-values.ts'
import type { Scope } from './scope.ts'
import { keyOf } from './served.ts'

/** A uid that is named is that of the object there is. */
export function checkUid({ served, namespace, name }: Scope, object: AnyObject, old: AnyObject | undefined): void {
  const { uid = '' } = object.metadata
  if (uid === '' || uid === old?.metadata.uid) return
  const key = `/registry/${served.bucket}/${keyOf(served, namespace, name)}`
  const why = `Precondition failed: UID in precondition: ${uid}, UID in object meta: ${old?.metadata.uid ?? ''}`
  const text = `StorageError: invalid object, Code: 4, Key: ${key}, ResourceVersion: 0, AdditionalErrorMsg: ${why}`
  throw conflict(served.info, name, text)
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
