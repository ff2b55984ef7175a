// Options of everything that serves the Kubernetes API (`up`, `demo`, `apiserver`): what is recorded of requests, and which
// admission plug-ins work. Flags have the names of a kube-apiserver's.

import type { Command } from 'commander'
import { CommandError, exitCode } from '../exit-code.ts'

export interface ServerFlags {
  readonly auditLog?: string
  readonly auditPolicy?: string
  readonly enableAdmissionPlugins?: string
  readonly disableAdmissionPlugins?: string
}

export interface AdmissionPart {
  readonly admission?: { readonly enable: readonly string[]; readonly disable: readonly string[] }
}

export const addServerOptions = (command: Command): Command =>
  command
    .option('--audit-log <file>', 'record every request to the Kubernetes API, a line of JSON each')
    .option('--audit-policy <file>', 'which requests, and how much of them: a Policy of audit.k8s.io/v1')
    .option('--enable-admission-plugins <names>', 'admission plug-ins beside the default ones, with commas between')
    .option('--disable-admission-plugins <names>', 'default admission plug-ins that are left out, with commas between')

/** The daemon knows which names there are. */
export function admissionPart(flags: ServerFlags): AdmissionPart {
  const { enableAdmissionPlugins: enable, disableAdmissionPlugins: disable } = flags
  if (enable === undefined && disable === undefined) return {}
  return { admission: { enable: names('enable', enable), disable: names('disable', disable) } }
}

function names(verb: string, text: string | undefined): readonly string[] {
  if (text === undefined) return []
  const found = text.split(',').map((name) => name.trim())
  if (found.includes(''))
    throw new CommandError(`--${verb}-admission-plugins ${text}: give names with commas between`, exitCode.usage)
  return found
}
