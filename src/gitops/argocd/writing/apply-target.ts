// Makes an object what git says: a server-side apply that wins over others. Where the server refuses the outcome because
// of what others have put there, that goes first.

import { ApiError, isConflict, isInvalid, isNotFound } from '#api'
import type { Destination } from '#gitops/destinations'
import { isSecret, maskFault } from '#gitops/diff'
import type { Kind } from '#kinds'
import type { AnyObject } from '#objects'
import { syncManager } from '../application/names.ts'
import { withoutForeignParts } from './foreign-parts.ts'
import { withKnownFields } from './known-fields.ts'

export interface ApplyOptions {
  readonly target: AnyObject
  readonly dryRun: boolean
  readonly fieldValidation: 'Strict' | 'Ignore'
  /** Whether the answer says who owns which fields. */
  readonly managedFields?: boolean
}

/** Resolves with the object as it is stored, or would be. What it throws shows nothing of a Secret. */
export async function applyTarget(place: Destination, kind: Kind, options: ApplyOptions): Promise<AnyObject> {
  try {
    return await applyWhole(place, kind, options)
  } catch (error) {
    if (!(error instanceof ApiError) || !isSecret(options.target)) throw error
    const { code, reason, details } = error
    throw new ApiError({
      code,
      reason,
      message: maskFault(error.message),
      ...(details === undefined ? {} : { details }),
    })
  }
}

async function applyWhole(place: Destination, kind: Kind, { target, ...options }: ApplyOptions): Promise<AnyObject> {
  const written = { ...options, fieldManager: syncManager }
  const schema = options.fieldValidation === 'Ignore' ? place.schemaOf(kind) : undefined
  const config = schema === undefined ? target : withKnownFields(target, schema)
  const apply = async (): Promise<AnyObject> =>
    (await place.client.apply(kind, config, { ...written, force: true })) as AnyObject
  try {
    return await apply()
  } catch (refusal) {
    if (!(refusal instanceof ApiError) || !isInvalid(refusal)) throw refusal
    const replaced = await replace(place, kind, { target: config, refusal, written })
    // The refusal says what is wrong with git's version.
    if (replaced === undefined) throw refusal
    return options.dryRun ? replaced : await apply()
  }
}

interface Refused {
  readonly target: AnyObject
  readonly refusal: ApiError
  readonly written: Omit<ApplyOptions, 'target'> & { readonly fieldManager: string }
}

/** Objects move while they are looked at: controllers write their status. */
const maxLooks = 5

/** The object as it was written without what others have put there; undefined when nothing of that is taken either. */
async function replace(place: Destination, kind: Kind, refused: Refused): Promise<AnyObject | undefined> {
  for (let looks = 1; ; looks++) {
    try {
      return await tryReplacements(place, kind, refused)
    } catch (error) {
      if (!isConflict(error) || looks === maxLooks) throw error
    }
  }
}

async function tryReplacements(place: Destination, kind: Kind, refused: Refused): Promise<AnyObject | undefined> {
  for (const replacement of await replacementsOf(place, kind, refused)) {
    try {
      return (await place.client.update(kind, replacement, refused.written)) as AnyObject
    } catch (error) {
      if (!isInvalid(error)) throw error
    }
  }
  return undefined
}

async function replacementsOf(
  place: Destination,
  kind: Kind,
  { target, refusal }: Refused,
): Promise<readonly AnyObject[]> {
  const schema = place.schemaOf(kind)
  const { namespace, name = '' } = target.metadata
  if (schema === undefined) return []
  const fields = (refusal.details?.causes ?? []).flatMap(({ field }) => field ?? [])
  try {
    const live = (await place.client.get(kind, namespace === undefined ? { name } : { namespace, name })) as AnyObject
    return withoutForeignParts({ live, target, schema, fields })
  } catch (error) {
    if (isNotFound(error)) return []
    throw error
  }
}
