// A KubeSchedulerConfiguration (kubescheduler.config.k8s.io/v1) as kube-scheduler reads it: profiles with their plug-ins,
// weights and arguments, the share of nodes to look at, back-off. What has no meaning in one process (leader election,
// ports, connections) is accepted and has no effect; what would change results and is not there is refused.

import { parseYaml, SyntaxFault } from '#objects'
import { type Backoff, defaultBackoff, defaultProfile, type Profile } from '../profiles.ts'
import { type ConfigFault, Fields } from './fields.ts'
import { readPluginConfig } from './read-args.ts'
import { readPlugins } from './read-plugins.ts'

export interface SchedulerConfig {
  readonly profiles: readonly Profile[]
  readonly backoff: Backoff
}

export type ReadConfig =
  | { readonly config: SchedulerConfig; readonly faults?: undefined }
  | { readonly config?: undefined; readonly faults: readonly ConfigFault[] }

const withoutEffect = [
  'parallelism',
  'leaderElection',
  'clientConnection',
  'healthzBindAddress',
  'metricsBindAddress',
  'enableProfiling',
  'enableContentionProfiling',
  'delayCacheUntilActive',
]

/** Reads a file's text: YAML or JSON. */
export function parseSchedulerConfig(text: string): ReadConfig {
  try {
    const { value, strictErrors } = parseYaml(text)
    if (strictErrors.length > 0) return { faults: strictErrors.map((message) => ({ field: '', message })) }
    return readSchedulerConfig(value)
  } catch (error) {
    if (!(error instanceof SyntaxFault)) throw error
    return { faults: [{ field: '', message: error.message }] }
  }
}

/** Faults as lines: `scheduler.yaml: profiles[0].schedulerName is required`. */
export const describeFaults = (file: string, faults: readonly ConfigFault[]): string =>
  faults.map(({ field, message }) => `${file}: ${field === '' ? '' : `${field} `}${message}`).join('\n')

/** Reads a parsed document; all faults, or the configuration. */
export function readSchedulerConfig(document: unknown): ReadConfig {
  const faults: ConfigFault[] = []
  const fields = new Fields(document, '', faults)
  for (const [name, value] of [
    ['apiVersion', 'kubescheduler.config.k8s.io/v1'],
    ['kind', 'KubeSchedulerConfiguration'],
  ] as const) {
    if (!fields.has(name)) fields.fault(name, `is required: ${value}`)
    fields.text(name, [value])
  }
  for (const name of withoutEffect) fields.raw(name)
  if ((fields.objects('extenders') ?? []).length > 0) fields.fault('extenders', 'are not supported')
  const percentage = fields.whole('percentageOfNodesToScore', { min: 0, max: 100 })
  const initialSeconds = fields.whole('podInitialBackoffSeconds', { min: 1 }) ?? defaultBackoff.initialSeconds
  const maxSeconds = fields.whole('podMaxBackoffSeconds', { min: 1 }) ?? defaultBackoff.maxSeconds
  if (maxSeconds < initialSeconds)
    fields.fault(
      'podMaxBackoffSeconds',
      `is ${maxSeconds}, must not be less than podInitialBackoffSeconds (${initialSeconds})`,
    )
  const entries = fields.objects('profiles') ?? []
  const profiles = entries.map((entry) => readProfile(entry, { isOnly: entries.length === 1, percentage }))
  profiles.forEach(({ schedulerName }, i) => {
    if (profiles.findIndex((other) => other.schedulerName === schedulerName) < i)
      entries[i]?.fault('schedulerName', `"${schedulerName}" is the name of two profiles`)
  })
  fields.end()
  if (faults.length > 0) return { faults }
  const usual = { ...defaultProfile, ...(percentage === undefined ? {} : { percentageOfNodesToScore: percentage }) }
  return { config: { profiles: profiles.length === 0 ? [usual] : profiles, backoff: { initialSeconds, maxSeconds } } }
}

interface Around {
  readonly isOnly: boolean
  /** Of the whole configuration: profiles may have their own. */
  readonly percentage: number | undefined
}

function readProfile(fields: Fields, { isOnly, percentage }: Around): Profile {
  const name = fields.text('schedulerName')
  if (!isOnly && !fields.has('schedulerName'))
    fields.fault('schedulerName', 'is required where there are several profiles')
  const share = fields.whole('percentageOfNodesToScore', { min: 0, max: 100 }) ?? percentage
  const plugins = fields.object('plugins')
  const profile: Profile = {
    schedulerName: name ?? defaultProfile.schedulerName,
    ...(share === undefined ? {} : { percentageOfNodesToScore: share }),
    ...(plugins === undefined ? {} : readPlugins(plugins)),
    args: readPluginConfig(fields.objects('pluginConfig') ?? []),
  }
  fields.end()
  return profile
}
