// Finds the kind that a user names, or says where the names can be looked up.

import { type Client, findKindNamed } from '#client'
import type { Kind } from '#kinds'
import { CommandError, exitCode } from './exit-code.ts'

/** The kind called `text`, optionally with its group after a dot. */
export async function findResource(client: Client, text: string): Promise<Kind> {
  const found = await findKindNamed(client, text)
  if (found === undefined)
    throw new CommandError(`no kind is called ${text}: see "kubectl api-resources"`, exitCode.usage)
  return found
}
