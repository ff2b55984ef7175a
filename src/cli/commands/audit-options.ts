// Reads what `--audit-log` and `--audit-policy` name. Loaded when a server is wanted: it takes the API server along.

import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { type AuditPolicy, defaultAuditPolicy, readAuditPolicy } from '#apiserver'
import { describeFaults } from '#objects'
import { CommandError, exitCode } from '../exit-code.ts'
import type { Terminal } from '../terminal.ts'
import { whyUnread } from '../unread.ts'
import type { ServerFlags } from './server-options.ts'

export interface AuditPart {
  readonly audit?: { readonly file: string; readonly policy: AuditPolicy }
}

/** The text of the file that an option names. */
export function readOptionFile(terminal: Terminal, option: string, file: string): string {
  try {
    return readFileSync(resolve(terminal.cwd, file), 'utf8')
  } catch (cause) {
    throw new CommandError(`${option}: cannot read ${file}: ${whyUnread(cause)}`, exitCode.usage, { cause })
  }
}

export function auditPart(terminal: Terminal, { auditLog, auditPolicy }: ServerFlags): AuditPart {
  if (auditLog === undefined) {
    if (auditPolicy === undefined) return {}
    throw new CommandError('--audit-policy says what is recorded: give --audit-log FILE too', exitCode.usage)
  }
  const file = resolve(terminal.cwd, auditLog)
  if (auditPolicy === undefined) return { audit: { file, policy: defaultAuditPolicy } }
  const { config: policy, faults } = readAuditPolicy(readOptionFile(terminal, '--audit-policy', auditPolicy))
  if (policy === undefined) throw new CommandError(describeFaults(auditPolicy, faults), exitCode.usage)
  return { audit: { file, policy } }
}
