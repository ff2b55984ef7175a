// namespaces/finalize: the only way to take a finalizer off a namespace's spec, which ends it.

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
  validate: () => [],
  raisesGeneration: () => false,
})
