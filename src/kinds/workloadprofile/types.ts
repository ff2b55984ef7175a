// What a WorkloadProfile says: which containers and images it is about, and what these do. The stimulus only; what the
// kubelet makes of it follows from Kubernetes' rules. All times are seconds of world time.

import type { LabelSelector } from '#objects'
import type { Container, EnvVar } from '../generated/types.ts'

/** All that are given must match; each is met by any of its entries. Globs: `*` is any text, `?` one character. */
export interface ProfileMatch {
  readonly images?: readonly string[]
  readonly containers?: readonly string[]
  /** Against command and args of the container, joined by blanks. */
  readonly commands?: readonly string[]
  /** None of these variables is set. */
  readonly withoutEnv?: readonly string[]
  readonly pods?: readonly string[]
  readonly podSelector?: LabelSelector
  readonly namespaces?: readonly string[]
}

export type PullError = 'notFound' | 'unauthorized' | 'unreachable' | 'tooManyRequests'

export interface ProfilePull {
  readonly seconds?: number
  readonly error?: PullError
  readonly message?: string
  readonly hangs?: boolean
  readonly sizeBytes?: number
}

export interface ProfileImage {
  readonly present?: boolean
  readonly sizeBytes?: number
  readonly reportedName?: string
  readonly imageID?: string
  readonly user?: string
  readonly private?: boolean
  /** The last one holds for all further ones. */
  readonly pulls?: readonly ProfilePull[]
}

export interface ProfileLogLine {
  readonly afterSeconds?: number
  readonly everySeconds?: number
  readonly text: string
}

export interface ProfileRun {
  readonly forever?: boolean
  readonly exitCode?: number
  readonly signal?: number
  readonly afterSeconds?: number
  readonly oomKilled?: boolean
  readonly terminationMessage?: string
  readonly logTail?: string
}

export interface ProfileSigterm {
  readonly ignored?: boolean
  readonly exitCode?: number
  readonly afterSeconds?: number
  readonly deferredUntilSeconds?: readonly number[]
  readonly ignoredBeforeSeconds?: number
}

export interface ProfileProbeCause {
  readonly kind: string
  readonly exitCode?: number
  readonly httpStatus?: number
  readonly body?: string
  readonly takesSeconds?: number
}

export interface ProfileProbeSegment {
  readonly fromSeconds?: number
  readonly since?: 'start' | 'preStop'
  readonly result: 'success' | 'failure' | 'error' | 'timeout'
  readonly output?: string
  readonly cause?: ProfileProbeCause
}

export interface ProfileHook {
  readonly result?: 'ok' | 'error'
  readonly seconds?: number
  readonly exitCode?: number
  readonly output?: string
  readonly message?: string
}

export interface ProfileUsage {
  readonly fromSeconds?: number
  readonly value: string | number
  /** The value is reached in a straight line from the point before. */
  readonly ramp?: boolean
}

export interface ProfileContainer {
  readonly startSeconds?: number
  readonly startError?: {
    readonly message: string
    readonly exitCode?: number
    readonly reason?: string
    readonly seconds?: number
  }
  readonly createError?: { readonly message: string }
  /** First, second … run; the last one holds for all further ones. */
  readonly runs?: readonly ProfileRun[]
  readonly onSigterm?: ProfileSigterm
  readonly probes?: {
    readonly startup?: readonly ProfileProbeSegment[]
    readonly readiness?: readonly ProfileProbeSegment[]
    readonly liveness?: readonly ProfileProbeSegment[]
  }
  /** What requests from the network meet. */
  readonly requests?: readonly ProfileProbeSegment[]
  readonly hooks?: { readonly postStart?: ProfileHook; readonly preStop?: ProfileHook }
  readonly usage?: {
    readonly cpu?: readonly ProfileUsage[]
    readonly sharedCpu?: readonly ProfileUsage[]
    readonly memory?: readonly ProfileUsage[]
    readonly ephemeralStorage?: readonly ProfileUsage[]
    readonly pids?: readonly ProfileUsage[]
  }
  readonly logs?: readonly ProfileLogLine[]
  /** What `kubectl exec` is answered; the first command that matches counts. */
  readonly exec?: readonly ProfileExec[]
  /** Files in the image that commands can read, by absolute path. */
  readonly files?: Readonly<Record<string, string>>
}

export interface ProfileExec {
  /** A glob of the command with its arguments, joined by blanks. */
  readonly command: string
  readonly stdout?: string
  readonly stderr?: string
  readonly exitCode?: number
  readonly seconds?: number
}

export interface ProfilePod {
  readonly sandboxError?: string
  readonly storage?: {
    readonly fromSeconds?: number
    readonly totalBytes?: number
    readonly volumes?: Readonly<Record<string, number>>
    readonly containers?: Readonly<Record<string, number>>
  }
}

/** How a simulated server answers the API server as a webhook, for admission or for conversion. */
export interface ProfileWebhook {
  readonly delaySeconds?: number
  readonly crash?: boolean
  readonly deny?: { readonly message?: string; readonly code?: number }
  readonly mutate?: {
    readonly labels?: Readonly<Record<string, string>>
    readonly annotations?: Readonly<Record<string, string>>
    readonly env?: readonly EnvVar[]
    readonly sidecar?: Container
  }
  readonly warnings?: readonly string[]
  readonly conversionError?: string
  readonly forwardTo?: string
}

export interface WorkloadProfileSpec {
  readonly description?: string
  readonly priority?: number
  readonly match: ProfileMatch
  readonly image?: ProfileImage
  readonly container?: ProfileContainer
  readonly pod?: ProfilePod
  readonly webhook?: ProfileWebhook
}
