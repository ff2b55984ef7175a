// namespaces/finalize: the only way to take a finalizer off a namespace's spec, which ends it.

import { checkQualifiedFinalizer, type FieldError, invalid, qualifiedName } from '#kinds'
import type { AnyObject } from '#objects'
import type { Scope } from '../scope.ts'
import type { UpdateWay } from '../update.ts'

export const finalizeWay = (_scope: Scope): UpdateWay => ({
  subresource: 'finalize',
  prepare: (object: AnyObject, old: AnyObject): AnyObject => ({
    ...old,
    metadata: object.metadata,
    spec: object['spec'],
  }),
  validate: finalizerFaults,
  raisesGeneration: () => false,
})

function finalizerFaults(object: AnyObject): readonly FieldError[] {
  const errors: FieldError[] = []
  const { finalizers = [] } = (object['spec'] ?? {}) as { readonly finalizers?: readonly string[] }
  finalizers.forEach((name, i) => {
    const path = `spec.finalizers[${i}]`
    for (const fault of qualifiedName(name)) errors.push(invalid(path, name, fault))
    checkQualifiedFinalizer(name, path, errors)
  })
  return errors
}
