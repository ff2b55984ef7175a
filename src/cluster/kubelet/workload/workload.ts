// What containers, images and nodes do, as data: the stimulus. What the kubelet makes of it (phases, conditions, back-off,
// texts) is decided elsewhere. Same shape as the `behaviour` of the recordings in test/kubelet/recordings.

import type { Pod, ProfileExec, ProfileProbeCause } from '#kinds'

/** One run of a container. Without an end it runs until somebody stops it. */
export interface Run {
  readonly forever?: boolean
  readonly exitCode?: number
  /** Seconds after its start. */
  readonly afterSeconds?: number
  readonly oomKilled?: boolean
  /** What it writes to its terminationMessagePath; `${env:NAME}` stands for a variable of the container. */
  readonly terminationMessage?: string
  /** The end of its log. */
  readonly logTail?: string
}

export interface StartError {
  readonly message: string
  readonly exitCode: number
  readonly reason: string
  readonly seconds?: number
}

/** `ignored`: killed when the grace period is over. */
export type OnSigterm =
  | 'ignored'
  | {
      readonly exitCode: number
      readonly afterSeconds: number
      /** Signals before such a moment (seconds since the start) are acted on only then. */
      readonly deferredUntilSeconds?: readonly number[]
      /** The handler is not there yet. */
      readonly ignoredBeforeSeconds?: number
    }

export interface ProbeSegment {
  readonly fromSeconds: number
  /** Counted from the begin of the preStop hook rather than from the container's start. */
  readonly since?: 'preStop'
  readonly result: 'success' | 'failure' | 'error' | 'timeout'
  readonly output?: string
  readonly cause?: ProfileProbeCause
}

export type ProbeKind = 'startup' | 'readiness' | 'liveness'

export interface HookOutcome {
  readonly result: 'ok' | 'error'
  readonly seconds: number
  readonly exitCode?: number
  readonly output?: string
  /** The error inside of the kubelet's sentence. */
  readonly message?: string
}

/** What is used from a moment on: millicores or bytes. `ramp`: reached in a straight line from the point before. */
export interface UsagePoint {
  readonly fromSeconds: number
  readonly value: number
  readonly ramp: boolean
}

/** A line of a log; `everySeconds`: again and again. */
export interface LogLine {
  readonly afterSeconds: number
  readonly everySeconds?: number
  readonly text: string
}

export interface CpuCurve {
  readonly points: readonly UsagePoint[]
  /** The points are of all running containers of one profile together, and count from a moment (ms) of the world. */
  readonly shared?: { readonly profile: string; readonly since: number }
}

export interface ContainerWorkload {
  /** From created to running; default: what it takes on the node. */
  readonly startSeconds?: number
  readonly runs: readonly Run[]
  /** The last run holds for all further ones. */
  readonly lastRepeats?: boolean
  readonly startError?: StartError
  readonly createError?: { readonly message: string }
  readonly onSigterm?: OnSigterm
  readonly probes?: { readonly [K in ProbeKind]?: readonly ProbeSegment[] }
  /** What requests from the network meet. */
  readonly requests?: readonly ProbeSegment[]
  readonly hooks?: { readonly postStart?: HookOutcome; readonly preStop?: HookOutcome }
  readonly cpu?: CpuCurve
  readonly memory?: readonly UsagePoint[]
  /** Bytes in its writable layer and its log. */
  readonly ephemeralStorage?: readonly UsagePoint[]
  readonly pids?: readonly UsagePoint[]
  readonly logs?: readonly LogLine[]
  /** How commands end that somebody runs in it, by globs of their words. */
  readonly exec?: readonly ProfileExec[]
  /** Files in its image, by absolute path. */
  readonly files?: Readonly<Record<string, string>>
}

export interface PodUsage {
  readonly memoryBytes?: number
  readonly ephemeralStorageBytes?: number
  readonly volumes?: Readonly<Record<string, number>>
  readonly containers?: Readonly<Record<string, number>>
  readonly fromSeconds?: number
}

export interface PodWorkload {
  readonly sandbox?: { readonly createError?: { readonly message: string } }
  readonly usage?: PodUsage
}

export interface Pull {
  readonly seconds: number
  readonly result: 'ok' | 'error' | 'hangs'
  readonly sizeBytes?: number
  readonly message?: string
}

export interface ImageWorkload {
  /** On every node from the start. */
  readonly present?: boolean
  readonly sizeBytes?: number
  /** How the runtime calls it in a container's status. */
  readonly reportedName?: string
  readonly imageID?: string
  /** User of the image's configuration; empty is root. */
  readonly user?: string
  /** Pulled only with credentials. */
  readonly private?: boolean
  readonly pulls?: readonly Pull[]
}

/** Looks up what things do. Pure: asked again at each use. */
export interface Workloads {
  container(pod: Pod, containerName: string): ContainerWorkload
  pod(pod: Pod): PodWorkload
  image(name: string): ImageWorkload
  /** Rises when answers may have become different. */
  readonly version?: number
  /** What a container takes at an instant; absent or undefined: a steady share of its requests. */
  usage?(
    pod: Pod,
    containerName: string,
    at: number,
  ): { readonly milliCpu: number; readonly memoryBytes: number } | undefined
}

const forever: Run = { forever: true }

/** The run with this number (0 is the first). */
export function runOf({ runs }: ContainerWorkload, attempt: number): Run {
  return runs[Math.min(attempt, runs.length - 1)] ?? forever
}

export function pullOf({ pulls = [], sizeBytes = 0 }: ImageWorkload, attempt: number): Pull {
  return pulls[Math.min(attempt, pulls.length - 1)] ?? { seconds: 0, result: 'ok', sizeBytes }
}
