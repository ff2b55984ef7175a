// Makes the configuration of flow control that every cluster has, and brings its specs up to date unless an administrator
// has said that they are his (pkg/registry/flowcontrol/ensurer).

import { type AnyObject, isEqual, type ObjectMeta } from '#objects'
import type { Core } from '../core.ts'
import { ensureObject } from '../ensure-object.ts'
import { withMetadata } from '../object-meta.ts'
import { rewrite } from '../rewrite.ts'
import { autoUpdate, flowControl, type KeptObject } from './configuration.ts'

export function ensureFlowControl(core: Core): void {
  for (const kept of flowControl) {
    const served = core.registry.find(kept.kind)
    const entry = served && core.store.get(served.bucket, kept.name)
    if (served === undefined) continue
    if (entry === undefined) ensureObject(core, kept.kind, kept.object)
    else rewrite(core, served, entry, decideKept(entry.value, served.strategy.defaults(kept.object as AnyObject), kept))
  }
}

/** What should be stored in place of `stored`: the very same where nothing is to be changed. */
export function decideKept(
  stored: AnyObject,
  wanted: AnyObject,
  { mandatory }: Pick<KeptObject, 'mandatory'>,
): AnyObject {
  const { metadata } = stored
  const ours = mandatory || isOurs(metadata)
  const said = saidOf(metadata)
  const annotated =
    said === ours
      ? stored
      : withMetadata(stored, { annotations: { ...metadata.annotations, [autoUpdate]: String(ours) } })
  if (!ours || isEqual(stored['spec'], wanted['spec'])) return annotated
  return withMetadata({ ...annotated, spec: wanted['spec'] }, { generation: (metadata.generation ?? 0) + 1 })
}

/** Without a word of the annotation, what nobody has changed yet is the server's. */
const isOurs = (metadata: ObjectMeta): boolean => saidOf(metadata) ?? metadata.generation === 1

const truths: readonly string[] = ['1', 't', 'T', 'TRUE', 'true', 'True']
const untruths: readonly string[] = ['0', 'f', 'F', 'FALSE', 'false', 'False']

/** What Go's strconv reads as a truth value. */
function saidOf({ annotations }: ObjectMeta): boolean | undefined {
  const said = annotations?.[autoUpdate] ?? ''
  if (truths.includes(said)) return true
  return untruths.includes(said) ? false : undefined
}
