// Which admission plug-ins work, and by which configuration: reads what `--admission-control-config-file` names. Loaded when a
// server is wanted: it takes the plug-ins along.

import { dirname, resolve } from 'node:path'
import {
  type AdmissionChoice,
  admissionPlugins,
  type ConfigurationFile,
  defaultHosts,
  hostFault,
  readAdmissionConfiguration,
} from '#admission'
import { CommandError, exitCode } from '../exit-code.ts'
import type { Terminal } from '../terminal.ts'
import { readOptionFile } from './audit-options.ts'
import type { ServerFlags } from './server-options.ts'

export interface AdmissionPart {
  readonly admission?: AdmissionChoice
}

/** The daemon knows which names there are. */
export function admissionPart(terminal: Terminal, flags: ServerFlags): AdmissionPart {
  const { enableAdmissionPlugins: enable, disableAdmissionPlugins: disable, admissionControlConfigFile: file } = flags
  return {
    admission: {
      webhookHosts: [...defaultHosts, ...webhookHosts(flags.webhookHost)],
      enable: names('enable', enable),
      disable: names('disable', disable),
      ...(file === undefined ? {} : { configured: configuredBy(terminal, file) }),
    },
  }
}

/** Hosts that webhooks may be called at. */
export function webhookHosts(given: readonly string[] = []): readonly string[] {
  for (const host of given) {
    const fault = hostFault(host)
    if (fault !== undefined) throw new CommandError(`--webhook-host ${host}: ${fault}`, exitCode.usage)
  }
  return given
}

function names(verb: string, text: string | undefined): readonly string[] {
  if (text === undefined) return []
  const found = text.split(',').map((name) => name.trim())
  if (found.includes(''))
    throw new CommandError(`--${verb}-admission-plugins ${text}: give names with commas between`, exitCode.usage)
  return found
}

function configuredBy(terminal: Terminal, file: string): NonNullable<AdmissionChoice['configured']> {
  const open = (name: string): ConfigurationFile => ({
    name,
    text: readOptionFile(terminal, '--admission-control-config-file', name),
  })
  const folder = dirname(resolve(terminal.cwd, file))
  const { configured, faults } = readAdmissionConfiguration(admissionPlugins, open(file), (path) =>
    open(resolve(folder, path)),
  )
  if (configured === undefined) throw new CommandError(faults, exitCode.usage)
  return configured
}
