// The audit of a daemon: which requests are recorded, by its policy, into which file. A file that cannot be written is told.

import { type Audit, createAudit } from '#apiserver'
import type { World } from '#world'
import { openAuditFile } from './audit-file.ts'
import type { Undo } from './lifetime.ts'
import type { ServerOptions } from './options.ts'

export async function openAudit(audit: ServerOptions['audit'], world: World, undo: Undo): Promise<Audit | undefined> {
  if (audit === undefined) return undefined
  const file = await openAuditFile(audit.file, (line) => {
    world.log.error(line)
    process.stderr.write(`homeostat: ${line}\n`)
  })
  undo.push(() => file.close())
  return createAudit({ policy: audit.policy, world, write: (line) => file.write(line) })
}
