// Options of everything that serves the Kubernetes API (`up`, `demo`, `apiserver`): what is recorded of requests, and which
// admission plug-ins work. Flags have the names of a kube-apiserver's.

import type { Command } from 'commander'

export interface ServerFlags {
  readonly auditLog?: string
  readonly auditPolicy?: string
  readonly enableAdmissionPlugins?: string
  readonly disableAdmissionPlugins?: string
  readonly admissionControlConfigFile?: string
  readonly webhookHost?: readonly string[]
}

const append = (host: string, before: readonly string[] | undefined): readonly string[] => [...(before ?? []), host]

export const addWebhookHostOption = (command: Command, whatElse: string): Command =>
  command.option(
    '--webhook-host <host>',
    `call webhooks at this host (host:port, .domain, *)${whatElse}; repeatable`,
    append,
  )

export const addServerOptions = (command: Command): Command =>
  addWebhookHostOption(command, ' too, beside this machine')
    .option('--audit-log <file>', 'record every request to the Kubernetes API, a line of JSON each')
    .option('--audit-policy <file>', 'which requests, and how much of them: a Policy of audit.k8s.io/v1')
    .option('--enable-admission-plugins <names>', 'admission plug-ins beside the default ones, with commas between')
    .option('--disable-admission-plugins <names>', 'default admission plug-ins that are left out, with commas between')
    .option('--admission-control-config-file <file>', 'how admission plug-ins work: an AdmissionConfiguration')
