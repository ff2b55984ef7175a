// After a restart: what runs on the node, read back from the status that was written. Nothing else is kept anywhere.

import type { ContainerStatus } from '#kinds'
import { parseTime } from '#objects'
import { type ContainerRecord, containersOf } from '../containers/containers.ts'
import { planEnd } from '../ending/lifetime.ts'
import type { PodRun } from '../pod/pod-run.ts'
import { isTerminalPhase } from '../status/phase.ts'
import { settle } from './mount.ts'

function recordsOf(status: ContainerStatus, run: PodRun): readonly ContainerRecord[] {
  const spec = containersOf(run.pod.spec).find(({ spec: { name } }) => name === status.name)
  if (spec === undefined) return []
  const { running, terminated } = status.state ?? {}
  const ended = terminated ?? status.lastState?.terminated
  const base = {
    name: status.name,
    kind: spec.kind,
    createdAt: 0,
    specImage: spec.spec.image ?? '',
    image: status.image,
    imageID: status.imageID,
    resources: status.resources ?? {},
    user: status.user,
  }
  const records: ContainerRecord[] = []
  if (running !== undefined && status.containerID !== undefined)
    records.push({
      ...base,
      id: status.containerID,
      attempt: status.restartCount,
      state: 'running',
      startedAt: parseTime(running.startedAt) ?? run.now,
      finishedAt: 0,
      exitCode: 0,
      reason: '',
      message: '',
    })
  if (ended?.containerID !== undefined)
    records.push({
      ...base,
      id: ended.containerID,
      attempt: running === undefined ? status.restartCount : Math.max(0, status.restartCount - 1),
      state: 'exited',
      startedAt: parseTime(ended.startedAt) ?? 0,
      finishedAt: parseTime(ended.finishedAt) ?? run.now,
      exitCode: ended.exitCode,
      reason: ended.reason ?? '',
      message: ended.message ?? '',
    })
  return records
}

/** Takes up a pod where its status left it. */
export function restore(run: PodRun): void {
  const { status = {} } = run.pod
  const conditions = status.conditions ?? []
  const ready = conditions.find(({ type }) => type === 'PodReadyToStartContainers')?.status === 'True'
  if (status.podIP !== undefined) run.sandbox = { ready, ip: status.podIP, attempt: 0, createdAt: 0 }
  const all = [
    ...(status.initContainerStatuses ?? []),
    ...(status.containerStatuses ?? []),
    ...(status.ephemeralContainerStatuses ?? []),
  ]
  run.records = all.flatMap((one) => recordsOf(one, run))
  run.seen = { records: run.records, sandbox: run.sandbox }
  run.mounted = run.sandbox !== undefined
  if (run.mounted) settle(run)
  for (const one of all) {
    if (one.containerID === undefined || one.state?.running === undefined) continue
    run.probing.know('startup', one.containerID, one.started === true ? 'success' : 'unknown')
    run.probing.know('readiness', one.containerID, one.ready ? 'success' : 'failure')
    run.probing.know('liveness', one.containerID, 'success')
  }
  for (const record of run.records) {
    if (record.state !== 'running') continue
    run.around.node.images.add(record.specImage)
    planEnd(run, record, run.around.workloads.container(run.pod, record.name))
  }
  if (isTerminalPhase(status.phase))
    run.stage = run.pod.metadata.deletionTimestamp === undefined ? 'finished' : 'terminating'
}

/** Whether a kubelet has dealt with this pod before. */
export const wasBegun = ({ pod }: PodRun): boolean =>
  pod.status?.containerStatuses !== undefined || isTerminalPhase(pod.status?.phase)
