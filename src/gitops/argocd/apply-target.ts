// Makes an object what git says: a server-side apply that wins over others. Where the server refuses the outcome because
// of list elements that others have put there, those go first.

import { isInvalid, isNotFound } from '#api'
import type { Kind } from '#kinds'
import type { AnyObject } from '#objects'
import type { Kit } from '#reconcile'
import { withoutForeignElements } from './foreign-elements.ts'
import { schemaOf } from './kind-lookup.ts'
import { withKnownFields } from './known-fields.ts'
import { syncManager } from './names.ts'

export interface ApplyOptions {
  readonly dryRun: boolean
  readonly fieldValidation: 'Strict' | 'Ignore'
  /** Whether the answer says who owns which fields. */
  readonly managedFields?: boolean
}

/** Resolves with the object as it is stored, or would be. */
export async function applyTarget(kit: Kit, kind: Kind, target: AnyObject, options: ApplyOptions): Promise<AnyObject> {
  const written = { ...options, fieldManager: syncManager }
  const schema = options.fieldValidation === 'Ignore' ? schemaOf(kit.cache, kind) : undefined
  const config = schema === undefined ? target : withKnownFields(target, schema)
  const apply = async (): Promise<AnyObject> =>
    (await kit.client.apply(kind, config, { ...written, force: true })) as AnyObject
  try {
    return await apply()
  } catch (refusal) {
    if (!isInvalid(refusal)) throw refusal
    const replacement = await replacementOf(kit, kind, config)
    if (replacement === undefined) throw refusal
    try {
      const replaced = await kit.client.update(kind, replacement, written)
      return options.dryRun ? (replaced as AnyObject) : await apply()
    } catch (error) {
      // The first refusal says what is wrong with git's version.
      throw isInvalid(error) ? refusal : error
    }
  }
}

async function replacementOf(kit: Kit, kind: Kind, target: AnyObject): Promise<AnyObject | undefined> {
  const schema = schemaOf(kit.cache, kind)
  const { namespace, name = '' } = target.metadata
  if (schema === undefined) return undefined
  try {
    const live = (await kit.client.get(kind, namespace === undefined ? { name } : { namespace, name })) as AnyObject
    return withoutForeignElements(live, target, schema)
  } catch (error) {
    if (isNotFound(error)) return undefined
    throw error
  }
}
