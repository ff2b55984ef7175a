// What bookmarks carry: an object of the kind of which only the revision has been said, as Go's struct of it looks.

import { type AnyObject, decode, type ObjectMeta } from '#objects'
import { partialObject } from './represent.ts'
import type { Scope } from './scope.ts'
import { incomingForm, type Served } from './served.ts'
import { withField } from './strategy.ts'
import { objectTable } from './table.ts'

/** `isFirst` says whether nothing was told before: then a table has its columns. */
export function bookmarkObject(scope: Scope, metadata: ObjectMeta, isFirst: () => boolean): AnyObject {
  const { served, request } = scope
  const { accept } = request
  // Loops look at nothing but the revision.
  if (accept === undefined) return { kind: served.info.kind, apiVersion: served.apiVersion, metadata }
  const object = zeroObject(served, metadata)
  if (accept.as === 'object') return object
  // What is not shown as itself is not converted either.
  const bare = { ...object, metadata }
  if (accept.as === 'partial') return partialObject(bare, accept)
  return objectTable(scope, { object: bare, ruled: incomingForm(served, bare) }, accept, isFirst())
}

type Fill = (object: AnyObject) => AnyObject

/** Kubernetes keeps some fields as plain numbers: where none was given, what it serves has a zero. */
const withReplicas: Fill = (object) => withField(object, 'spec', { replicas: 0, ...(object['spec'] as object) })

const withTemplateGeneration: Fill = ({ metadata, ...object }) => {
  const annotations = { 'deprecated.daemonset.template.generation': '0', ...metadata.annotations }
  return { ...object, metadata: { ...metadata, annotations } }
}

const fills: Readonly<Record<string, Fill>> = {
  'apps/DaemonSet': withTemplateGeneration,
  'apps/Deployment': withReplicas,
  'apps/ReplicaSet': withReplicas,
  'apps/StatefulSet': withReplicas,
}

/** Custom resources have no struct: nothing but what is said. */
function zeroObject({ info, apiVersion, schema, custom }: Served, metadata: ObjectMeta): AnyObject {
  const object: AnyObject = { kind: info.kind, apiVersion, metadata }
  if (custom !== undefined || schema === undefined) return object
  const whole = decode(object, schema).value as unknown as AnyObject
  return fills[`${info.group}/${info.kind}`]?.(whole) ?? whole
}
