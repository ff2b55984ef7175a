// The finalizers that an application has as long as git says that hooks run when it is deleted. They are written together with
// the status, so that nothing looks synced that could go without its hooks. Pure.

import type { Application } from '#kinds'
import { isEqual } from '#objects'
import { cleanupOf, postDeleteFinalizer, preDeleteFinalizer } from '../application/names.ts'
import type { Comparison } from '../comparison/comparison.ts'
import type { Desired } from '../desired/from-rendered.ts'
import { type DeleteHookType, isDeleteHook } from './decide-delete-hooks.ts'

interface Seen {
  readonly comparison: Pick<Comparison, 'hooks'>
  readonly desired: Pick<Desired, 'mayApply'>
}

/** The list as it should be; nothing when it is. */
export function finalizersOf(
  { metadata }: Application,
  { comparison, desired }: Seen,
): { readonly finalizers?: readonly string[] } {
  const before = metadata.finalizers ?? []
  const wants = (type: DeleteHookType): boolean => comparison.hooks.some((hook) => isDeleteHook(hook, type))
  let finalizers = before
  for (const [type, finalizer] of [
    ['PreDelete', preDeleteFinalizer],
    ['PostDelete', postDeleteFinalizer],
  ] as const) {
    const own = [finalizer, cleanupOf(finalizer)]
    if (wants(type)) finalizers = [...finalizers, ...own.filter((each) => !before.includes(each))]
    // A hook that cannot be read at the moment may be one of those that are missing.
    else if (desired.mayApply) finalizers = finalizers.filter((each) => !own.includes(each))
  }
  return isEqual(finalizers, before) ? {} : { finalizers }
}
