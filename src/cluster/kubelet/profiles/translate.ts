// From what a WorkloadProfile says to what the kubelet asks for: defaults filled in, quantities read. Pure.

import type {
  ProfileContainer,
  ProfileHook,
  ProfileImage,
  ProfilePod,
  ProfileProbeSegment,
  ProfilePull,
  ProfileRun,
  ProfileSigterm,
  ProfileUsage,
} from '#kinds'
import { quantityMilliValue, quantityValue } from '#objects'
import { failsAfterSeconds, pullErrorText } from '../workload/pull-errors.ts'
import type {
  ContainerWorkload,
  CpuCurve,
  HookOutcome,
  ImageWorkload,
  OnSigterm,
  PodWorkload,
  ProbeSegment,
  Pull,
  Run,
  UsagePoint,
} from '../workload/workload.ts'

const oomExitCode = 137

function runOf({ forever, signal, oomKilled, ...run }: ProfileRun): Run {
  const ends =
    run.exitCode !== undefined || signal !== undefined || oomKilled === true || run.afterSeconds !== undefined
  const { exitCode: _exitCode, afterSeconds: _afterSeconds, ...texts } = run
  if (forever === true || !ends) return { ...texts, forever: true }
  const exitCode = run.exitCode ?? (oomKilled === true ? oomExitCode : signal === undefined ? 0 : 128 + signal)
  return {
    ...texts,
    exitCode,
    afterSeconds: run.afterSeconds ?? 0.1,
    ...(oomKilled === true ? { oomKilled } : {}),
  }
}

function sigtermOf({ ignored, exitCode = 0, afterSeconds = 0.2, ...rest }: ProfileSigterm): OnSigterm {
  return ignored === true ? 'ignored' : { exitCode, afterSeconds, ...rest }
}

const segmentOf = ({ fromSeconds = 0, since, ...rest }: ProfileProbeSegment): ProbeSegment => ({
  ...rest,
  fromSeconds,
  ...(since === 'preStop' ? { since } : {}),
})

const hookOf = ({ result = 'ok', seconds = 0, ...rest }: ProfileHook): HookOutcome => ({ ...rest, result, seconds })

export const curveOf = (
  points: readonly ProfileUsage[],
  read: (value: string | number) => number,
): readonly UsagePoint[] =>
  points
    .map(({ fromSeconds = 0, value, ramp = false }) => ({ fromSeconds, value: read(value), ramp }))
    .sort((a, b) => a.fromSeconds - b.fromSeconds)

function cpuOf({ cpu, sharedCpu }: NonNullable<ProfileContainer['usage']>, origin: Origin): CpuCurve | undefined {
  if (sharedCpu !== undefined)
    return {
      points: curveOf(sharedCpu, quantityMilliValue),
      shared: { profile: origin.profile, since: origin.since },
    }
  return cpu === undefined ? undefined : { points: curveOf(cpu, quantityMilliValue) }
}

/** Whose words these are, and since when they hold. */
export interface Origin {
  readonly profile: string
  readonly since: number
}

/** Only the fields that the profile gives. */
export function containerPart(from: ProfileContainer, origin: Origin): Partial<ContainerWorkload> {
  const { startSeconds, startError, createError, runs, onSigterm, probes, requests, hooks, usage, logs, exec, files } =
    from
  const cpu = usage === undefined ? undefined : cpuOf(usage, origin)
  return {
    ...(startSeconds === undefined ? {} : { startSeconds }),
    ...(startError === undefined ? {} : { startError: { exitCode: 128, reason: 'StartError', ...startError } }),
    ...(createError === undefined ? {} : { createError }),
    ...(runs === undefined || runs.length === 0 ? {} : { runs: runs.map(runOf), lastRepeats: true }),
    ...(onSigterm === undefined ? {} : { onSigterm: sigtermOf(onSigterm) }),
    ...(probes === undefined ? {} : { probes: mapped(probes, (segments) => segments.map(segmentOf)) }),
    ...(requests === undefined ? {} : { requests: requests.map(segmentOf) }),
    ...(hooks === undefined ? {} : { hooks: mapped(hooks, hookOf) }),
    ...(cpu === undefined ? {} : { cpu }),
    ...(usage?.memory === undefined ? {} : { memory: curveOf(usage.memory, quantityValue) }),
    ...(usage?.ephemeralStorage === undefined
      ? {}
      : { ephemeralStorage: curveOf(usage.ephemeralStorage, quantityValue) }),
    ...(usage?.pids === undefined ? {} : { pids: curveOf(usage.pids, quantityValue) }),
    ...(exec === undefined ? {} : { exec }),
    ...(files === undefined ? {} : { files }),
    ...(logs === undefined ? {} : { logs: logs.map((line) => ({ afterSeconds: 0, ...line })) }),
  }
}

const mapped = <K extends string, A, B>(
  from: { readonly [key in K]?: A },
  change: (value: A) => B,
): { readonly [key in K]?: B } =>
  Object.fromEntries(Object.entries(from).map(([key, value]) => [key, change(value as A)])) as { [key in K]?: B }

function pullOf({ seconds, error, message, hangs, sizeBytes }: ProfilePull, name: string): Pull {
  if (hangs === true) return { seconds: seconds ?? 0, result: 'hangs' }
  if (error === undefined && message === undefined)
    return { seconds: seconds ?? 0.5, result: 'ok', ...(sizeBytes === undefined ? {} : { sizeBytes }) }
  const kind = error ?? 'unreachable'
  return {
    seconds: seconds ?? failsAfterSeconds[kind],
    result: 'error',
    message: message ?? pullErrorText(kind, name),
  }
}

/** Only the fields that the profile gives, for the image with this name. */
export function imagePart({ pulls, ...rest }: ProfileImage, name: string): ImageWorkload {
  return pulls === undefined || pulls.length === 0 ? rest : { ...rest, pulls: pulls.map((pull) => pullOf(pull, name)) }
}

const sum = (amounts: Readonly<Record<string, number>> = {}): number =>
  Object.values(amounts).reduce((total, amount) => total + amount, 0)

export function podPart({ sandboxError, storage }: ProfilePod): PodWorkload {
  const { totalBytes = sum(storage?.volumes) + sum(storage?.containers), ...rest } = storage ?? {}
  return {
    ...(sandboxError === undefined ? {} : { sandbox: { createError: { message: sandboxError } } }),
    ...(storage === undefined ? {} : { usage: { ...rest, ephemeralStorageBytes: totalBytes } }),
  }
}
