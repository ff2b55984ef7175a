// What a scenario runs on: three nodes of 4 CPUs and 8 GiB, unless its first command is `cluster` and says otherwise.

import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { describeFaults } from '#objects'
import { parseSchedulerConfig } from '#scheduler'
import type { LabPlan } from './lab.ts'
import { UsageError } from './scenario-error.ts'
import { parseCount, type Words } from './words.ts'

const known: readonly string[] = ['nodes', 'cpu', 'memory', 'pods', 'start', 'scheduler']

interface Around {
  readonly repository: boolean
  /** Paths start here. */
  readonly folder: string
}

export function planOf(cluster: Words | undefined, { repository, folder }: Around): LabPlan {
  const settings = new Map<string, string>()
  for (const word of cluster?.words ?? []) {
    const [name = '', value = ''] = word.split('=')
    if (!known.includes(name) || value === '') throw new UsageError(`${word}: write ${known.join('=…, ')}=…`)
    settings.set(name, value)
  }
  const start = settings.get('start')
  const startAt = start === undefined ? undefined : Date.parse(start)
  if (Number.isNaN(startAt)) throw new UsageError(`start=${start} is not a time such as 2026-03-29T00:30:00Z`)
  const cpu = settings.get('cpu') ?? '4'
  const memory = settings.get('memory') ?? '8Gi'
  const allocatable = { cpu, memory, pods: settings.get('pods') ?? '110', 'ephemeral-storage': '100Gi' }
  return {
    nodes: { count: parseCount(settings.get('nodes') ?? '3', 'nodes'), allocatable },
    ...(startAt === undefined ? {} : { startAt }),
    ...schedulerOf(folder, settings.get('scheduler')),
    repository,
  }
}

function schedulerOf(folder: string, file: string | undefined): Pick<LabPlan, 'scheduler'> {
  if (file === undefined) return {}
  let text: string
  try {
    text = readFileSync(resolve(folder, file), 'utf8')
  } catch (cause) {
    throw new UsageError(`scheduler=${file}: ${(cause as Error).message}`, 0, { cause })
  }
  const { config, faults } = parseSchedulerConfig(text)
  if (config === undefined) throw new UsageError(describeFaults(file, faults))
  return { scheduler: config }
}
