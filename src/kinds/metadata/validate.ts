// Faults of labels, annotations and finalizers wherever they stand: in templates, selectors, embedded metadata. What was
// found sound is remembered by reference. The metadata of objects themselves is the API server's to check.

import type { ObjectMeta } from '#objects'
import { type FieldError, forbidden, invalid, tooLong } from '../field-error.ts'
import { byteLength, labelValue, qualifiedName } from './formats.ts'

const maxAnnotationBytes = 256 * 1024

const fine = new WeakSet<object>()

/** Labels, node selectors and Service selectors: a fault names the map, not the key. */
export function checkLabels(
  labels: Readonly<Record<string, string>> | undefined,
  path: string,
  errors: FieldError[],
): void {
  if (labels === undefined || fine.has(labels)) return
  const before = errors.length
  for (const key of Object.keys(labels).sort()) {
    const value = labels[key] ?? ''
    for (const text of qualifiedName(key)) errors.push(invalid(path, key, text))
    for (const text of labelValue(value)) errors.push(invalid(path, value, text))
  }
  if (errors.length === before) fine.add(labels)
}

export function checkLabelName(key: string, path: string, errors: FieldError[]): void {
  for (const text of qualifiedName(key)) errors.push(invalid(path, key, text))
}

export function checkAnnotations(
  annotations: Readonly<Record<string, string>> | undefined,
  path: string,
  errors: FieldError[],
): void {
  if (annotations === undefined || fine.has(annotations)) return
  const before = errors.length
  let bytes = 0
  for (const key of Object.keys(annotations)) {
    for (const text of qualifiedName(key.toLowerCase())) errors.push(invalid(path, key, text))
    bytes += byteLength(key) + byteLength(annotations[key] ?? '')
  }
  if (bytes > maxAnnotationBytes) errors.push(tooLong(path, maxAnnotationBytes))
  if (errors.length === before) fine.add(annotations)
}

const standardFinalizers: readonly string[] = ['kubernetes', 'orphan', 'foregroundDeletion']

export function checkQualifiedFinalizer(finalizer: string, path: string, errors: FieldError[]): void {
  if (!finalizer.includes('/') && !standardFinalizers.includes(finalizer))
    errors.push(invalid(path, finalizer, 'name is neither a standard finalizer name nor is it fully qualified'))
}

/** Fields of embedded metadata that may not be set: only labels and annotations mean something there. */
const refusedMetadata = [
  'name',
  'generateName',
  'namespace',
  'selfLink',
  'uid',
  'resourceVersion',
  'generation',
  'creationTimestamp',
  'deletionTimestamp',
  'deletionGracePeriodSeconds',
  'ownerReferences',
  'finalizers',
  'managedFields',
] as const

/** Metadata of what is made of a template of its own, such as the claims of a pod. */
export function checkTemplateMetadata(meta: ObjectMeta, path: string, errors: FieldError[]): void {
  checkAnnotations(meta.annotations, `${path}.annotations`, errors)
  checkLabels(meta.labels, `${path}.labels`, errors)
  for (const field of refusedMetadata)
    if (meta[field] != null && meta[field] !== '')
      errors.push(forbidden(`${path}.${field === 'uid' ? 'uID' : field}`, 'cannot be set'))
}
