// What was made with `kubectl apply` becomes the reconciler's: fields that kubectl owns by client-side apply are made fields
// of the reconciler before it applies, or those that git no longer says would stay for ever, owned by kubectl. Argo CD's
// ClientSideApplyMigration, and its annotation for another manager's name.

import { isConflict } from '#api'
import type { Destination } from '#gitops/destinations'
import { lastAppliedAnnotation } from '#gitops/diff'
import { hasOption } from '#gitops/sync'
import type { Kind } from '#kinds'
import { type AnyObject, isJsonMap, type JsonObject, type ManagedFieldsEntry } from '#objects'
import { syncManager } from '../application/names.ts'

const managerAnnotation = 'argocd.argoproj.io/client-side-apply-migration-manager'
const kubectl = 'kubectl-client-side-apply'

interface TakeOver {
  readonly live: AnyObject
  readonly target: AnyObject
  readonly options: readonly string[]
}

export async function takeOver(
  { client }: Pick<Destination, 'client'>,
  kind: Kind,
  { live, target, options }: TakeOver,
): Promise<void> {
  if (hasOption(target, options, 'ClientSideApplyMigration=false')) return
  const named = target.metadata.annotations?.[managerAnnotation]
  // Only what carries kubectl's note can be kubectl's: of others nobody has to be asked.
  if (named === undefined && live.metadata.annotations?.[lastAppliedAnnotation] === undefined) return
  const { namespace, name = '' } = live.metadata
  const ref = namespace === undefined ? { name } : { namespace, name }
  const now = (await client.get(kind, ref, { managedFields: true })) as AnyObject
  const managedFields = takenOver(now.metadata.managedFields ?? [], named ?? kubectl)
  if (managedFields === undefined) return
  try {
    await client.update(kind, { ...now, metadata: { ...now.metadata, managedFields } }, { fieldManager: syncManager })
  } catch (error) {
    // Somebody wrote meanwhile: the next sync takes over.
    if (!isConflict(error)) throw error
  }
}

/** The entries once what `manager` owns by updates is ours; undefined when it owns nothing. */
export function takenOver(
  entries: readonly ManagedFieldsEntry[],
  manager: string,
): readonly ManagedFieldsEntry[] | undefined {
  const isMain = ({ subresource = '' }: ManagedFieldsEntry): boolean => subresource === ''
  const taken = entries.filter((each) => each.manager === manager && each.operation === 'Update' && isMain(each))
  const [first] = taken
  if (first === undefined) return undefined
  const own = entries.find((each) => each.manager === syncManager && each.operation === 'Apply' && isMain(each))
  const fieldsV1 = [...(own === undefined ? [] : [own]), ...taken]
    .map((each) => each.fieldsV1 ?? {})
    .reduce((all, each) => unionOf(all, each))
  const entry: ManagedFieldsEntry = { ...first, ...own, manager: syncManager, operation: 'Apply', fieldsV1 }
  return [entry, ...entries.filter((each) => each !== own && !taken.includes(each))]
}

/** A field without any below it is held itself; beside others it is written as a dot. */
function unionOf(a: JsonObject, b: JsonObject): JsonObject {
  const union: Record<string, JsonObject> = {}
  for (const name of new Set([...Object.keys(a), ...Object.keys(b)])) {
    const [x, y] = [a[name], b[name]]
    const sets = [x, y].filter(
      (each) => each !== undefined && each !== null && isJsonMap(each),
    ) as readonly JsonObject[]
    const [one, other] = sets
    if (one === undefined) continue
    union[name] = other === undefined || name === '.' ? one : unionBelow(one, other)
  }
  return union
}

function unionBelow(a: JsonObject, b: JsonObject): JsonObject {
  const [isLeafA, isLeafB] = [a, b].map((each) => Object.keys(each).length === 0)
  if (isLeafA && isLeafB) return {}
  return isLeafA || isLeafB ? { '.': {}, ...a, ...b } : unionOf(a, b)
}
