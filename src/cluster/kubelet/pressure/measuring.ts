// What a node's pods take at a moment, and what is left of the node then. Pure but for the parts of the node that are
// handed in. With `peak` in place of a moment: the most that can ever come together, whatever the moment.

import { amountOf, type Pod } from '#kinds'
import { containersOf } from '../containers/containers.ts'
import type { DatedCurve, NodeFacts, NodeUsageField } from '../node/node-facts.ts'
import type { Observations } from '../node/signals.ts'
import type { PodRun } from '../pod/pod-run.ts'
import { localStorage, runningIn } from '../usage/local-storage.ts'
import { ofTheNode, usualUsage } from '../usage/samples.ts'
import { usageAt } from '../usage/usage-curve.ts'
import type { UsagePoint, Workloads } from '../workload/workload.ts'
import type { PodStats } from './ranking.ts'

const kibi = 1024
const gibi = 1024 ** 3
/** A file system has an inode for so many bytes. */
const bytesPerInode = 16 * kibi
const inodesPerImage = 3000
const inodesPerContainer = 50
const pidsPerContainer = 5
/** The kernel's usual pid_max. */
const mostPids = 32_768
const systemDisk = 4 * gibi
const systemInodes = 100_000
const systemPids = 150

const peakOf = (points: readonly UsagePoint[]): number => Math.max(0, ...points.map(({ value }) => value))

/** What a pod takes; undefined when nothing of it runs. */
export function statsOf({ api, status }: PodRun, workloads: Workloads, now: number): PodStats | undefined {
  const running = runningIn(status)
  if (running.length === 0) return undefined
  const storage = localStorage(api, workloads, { running, now })
  const containers = running.map(({ name, startedAt }) => {
    const { pids } = workloads.container(api, name)
    return {
      name,
      memory: (workloads.usage?.(api, name, now) ?? usualUsage(api, name)).memoryBytes,
      disk: storage?.containers?.[name] ?? 0,
      pids: pids === undefined ? pidsPerContainer : Math.round(usageAt(pids, (now - startedAt) / 1000)),
    }
  })
  return {
    memory: containers.reduce((sum, { memory }) => sum + memory, 0),
    disk: storage?.ephemeralStorageBytes ?? 0,
    inodes: containers.length * inodesPerContainer,
    pids: containers.reduce((sum, { pids }) => sum + pids, 1),
    containers,
  }
}

/** The most that a pod can take. */
export function peakStats(pod: Pod, workloads: Workloads): PodStats {
  let memory = 0
  let disk = workloads.pod(pod).usage?.ephemeralStorageBytes ?? 0
  let pids = 1
  let count = 0
  for (const { spec } of containersOf(pod.spec)) {
    const workload = workloads.container(pod, spec.name)
    count += 1
    memory += workload.memory === undefined ? usualUsage(pod, spec.name).memoryBytes : peakOf(workload.memory)
    disk += workload.ephemeralStorage === undefined ? 0 : peakOf(workload.ephemeralStorage)
    pids += workload.pids === undefined ? pidsPerContainer : peakOf(workload.pids)
  }
  return { memory, disk, inodes: count * inodesPerContainer, pids, containers: [] }
}

export interface NodeParts {
  readonly capacity: Readonly<Record<string, string | number>>
  readonly facts: NodeFacts
  readonly imageSizes: readonly number[]
  readonly pods: readonly (PodStats | undefined)[]
}

export function observe({ capacity, facts, imageSizes, pods }: NodeParts, at: number | 'peak'): Observations {
  const beside = (field: NodeUsageField, usual: number): number => levelOf(facts.usage[field], at) ?? usual
  const total = (field: 'memory' | 'disk' | 'inodes' | 'pids'): number =>
    pods.reduce((sum, stats) => sum + (stats?.[field] ?? 0), 0)
  const size = (name: string): number => (capacity[name] === undefined ? 0 : amountOf(name, capacity[name]))
  const memory = size('memory')
  const disk = size('ephemeral-storage')
  const images = imageSizes.reduce((sum, bytes) => sum + bytes, 0)
  const own = facts.imagefsCapacity
  const nodefs = {
    capacity: disk,
    available: left(
      disk,
      beside('nodefs', Math.min(systemDisk, disk / 10)) + total('disk') + (own === undefined ? images : 0),
    ),
  }
  const imagefs =
    own === undefined
      ? { capacity: disk, available: left(nodefs.available, beside('imagefs', 0)) }
      : { capacity: own, available: left(own, images + beside('imagefs', 0)) }
  const inodes = Math.trunc(disk / bytesPerInode)
  const inodesFree = left(
    inodes,
    beside('inodes', Math.min(systemInodes, inodes / 10)) + total('inodes') + imageSizes.length * inodesPerImage,
  )
  return {
    // What a node does not tell the size of does not run out.
    ...(memory === 0
      ? {}
      : {
          'memory.available': {
            capacity: memory,
            available: left(memory, memoryBeside(facts, memory, at) + total('memory')),
          },
        }),
    ...(disk === 0
      ? {}
      : {
          'nodefs.available': nodefs,
          'imagefs.available': imagefs,
          'nodefs.inodesFree': { capacity: inodes, available: inodesFree },
          'imagefs.inodesFree': { capacity: inodes, available: inodesFree },
        }),
    'pid.available': { capacity: mostPids, available: left(mostPids, beside('pids', systemPids) + total('pids')) },
  }
}

/** Memory that is taken on a node of this size beside its pods. */
export const memoryBeside = (facts: NodeFacts, memory: number, at: number | 'peak'): number =>
  levelOf(facts.usage.memory, at) ?? Math.min(ofTheNode.memoryBytes, memory / 8)

const left = (all: number, taken: number): number => Math.max(0, Math.trunc(all - taken))

function levelOf(curve: DatedCurve | undefined, at: number | 'peak'): number | undefined {
  if (curve === undefined) return undefined
  return at === 'peak' ? peakOf(curve.points) : usageAt(curve.points, (at - curve.since) / 1000)
}
