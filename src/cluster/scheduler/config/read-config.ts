// A KubeSchedulerConfiguration (kubescheduler.config.k8s.io/v1) as kube-scheduler reads it: profiles with their plug-ins,
// weights and arguments, the share of nodes to look at, back-off. What has no meaning in one process (leader election,
// ports, connections) is accepted and has no effect; what would change results and is not there is refused.

import { type Fields, type ReadConfig, readConfig } from '#objects'
import { type Backoff, defaultBackoff, defaultProfile, type Profile } from '../profiles.ts'
import { readPluginConfig } from './read-args.ts'
import { readPlugins } from './read-plugins.ts'

export interface SchedulerConfig {
  readonly profiles: readonly Profile[]
  readonly backoff: Backoff
}

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
export const parseSchedulerConfig = (text: string): ReadConfig<SchedulerConfig> => readConfig(text, schedulerConfig)

function schedulerConfig(fields: Fields): SchedulerConfig {
  fields.required('apiVersion', ['kubescheduler.config.k8s.io/v1'])
  fields.required('kind', ['KubeSchedulerConfiguration'])
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
  const usual = { ...defaultProfile, ...(percentage === undefined ? {} : { percentageOfNodesToScore: percentage }) }
  return { profiles: profiles.length === 0 ? [usual] : profiles, backoff: { initialSeconds, maxSeconds } }
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
