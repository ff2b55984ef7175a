// An AdmissionConfiguration (apiserver.config.k8s.io/v1), the file of --admission-control-config-file: for each plug-in that it
// names a configuration, written there or in a file of its own.

import { describeFaults, type Fields, type LocatedFault, readConfig } from '#objects'
import type { AdmissionPlugin } from './plugin.ts'

/** Plug-ins of a kube-apiserver that can be configured, and are not here. */
const unsupported = ['EventRateLimit', 'ImagePolicyWebhook', 'PodNodeSelector', 'PodTolerationRestriction']

export interface ConfigurationFile {
  /** As messages name it. */
  readonly name: string
  readonly text: string
}

export type ReadConfiguration =
  /** The plug-ins that work by their configuration from now on. */
  | { readonly configured: readonly AdmissionPlugin[]; readonly faults?: undefined }
  /** All faults, a line each: `admission.yaml:7: plugins[0].configuration.defaults.enforce is "none", must be …`. */
  | { readonly configured?: undefined; readonly faults: string }

/** `open` reads a file that the configuration names, whose path starts where `file` is. Its errors are passed on. */
export function readAdmissionConfiguration(
  all: readonly AdmissionPlugin[],
  file: ConfigurationFile,
  open: (path: string) => ConfigurationFile,
): ReadConfiguration {
  const elsewhere: string[] = []
  const { config: configured, faults } = readConfig(file.text, (fields) =>
    readPlugins(fields, all, (path, read) => {
      const { name, text } = open(path)
      const own = readConfig(text, read)
      if (own.faults !== undefined) elsewhere.push(describeFaults(name, own.faults as readonly LocatedFault[]))
      return own.config
    }),
  )
  const texts = [...(faults === undefined ? [] : [describeFaults(file.name, faults)]), ...elsewhere]
  return texts.length === 0 ? { configured: configured ?? [] } : { faults: texts.join('\n') }
}

type Read = (fields: Fields) => AdmissionPlugin
type ReadElsewhere = (path: string, read: Read) => AdmissionPlugin | undefined

function readPlugins(fields: Fields, all: readonly AdmissionPlugin[], elsewhere: ReadElsewhere) {
  fields.required('apiVersion', ['apiserver.config.k8s.io/v1', 'apiserver.k8s.io/v1alpha1'])
  fields.required('kind', ['AdmissionConfiguration'])
  const seen = new Set<string>()
  const configured = (fields.objects('plugins') ?? []).flatMap((entry) => {
    const name = entry.required('name')
    if (name !== undefined && seen.has(name)) entry.fault('name', `"${name}" is configured twice`)
    seen.add(name ?? '')
    const read = name === undefined ? undefined : readerOf(name, all, entry)
    const path = entry.text('path')
    const written = entry.object('configuration')
    entry.end()
    if (read === undefined) return []
    if (written !== undefined) return [read(written)]
    return path === undefined ? [] : (elsewhere(path, read) ?? [])
  })
  fields.end()
  return configured
}

function readerOf(name: string, all: readonly AdmissionPlugin[], entry: Fields): Read | undefined {
  const configurable = all.filter(({ configuration }) => configuration !== undefined)
  const rest = `those that can be configured: ${configurable.map((plugin) => plugin.name).join(', ')}`
  const plugin = all.find((one) => one.name === name)
  const { configuration } = plugin ?? {}
  if (configuration !== undefined)
    return (fields) => {
      const { versions } = configuration
      const apiVersion = fields.required('apiVersion', Object.keys(versions))
      if (apiVersion === undefined) fields.raw('kind')
      else fields.required('kind', [versions[apiVersion] ?? ''])
      const made = configuration.read(fields)
      fields.end()
      return made
    }
  const why = unsupported.includes(name)
    ? 'is a plug-in of kube-apiserver that is not supported here: leave it out'
    : plugin === undefined
      ? 'is no admission plug-in'
      : 'cannot be configured here'
  entry.fault('name', `"${name}" ${why}; ${rest}`)
  return undefined
}
