// Deletions that somebody has to approve first: `Prune=confirm` and `Delete=confirm`, and the annotation of the Application
// that does, with a time that is not before what it approves. Pure.

import { hasOption } from '#gitops/sync'
import type { Application } from '#kinds'
import { type AnyObject, parseTime } from '#objects'
import { deletionApprovedAnnotation } from './names.ts'

/** As in Argo CD, either option holds up the deletion of the application; only `Prune=confirm` holds up a prune. */
export const needsApproval = (object: AnyObject | undefined, options: readonly string[]): boolean =>
  hasOption(object, options, 'Delete=confirm') || hasOption(object, options, 'Prune=confirm')

export function isApproved({ metadata }: Application, sinceMs: number): boolean {
  const approvedAt = parseTime(metadata.annotations?.[deletionApprovedAnnotation])
  return approvedAt !== undefined && approvedAt >= sinceMs
}
