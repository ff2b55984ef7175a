// What a recording of a real kubelet holds (recordings/README.md of the recordings' makers tells all): what was done, what
// was seen of it, how the containers behaved, and how closely a replay has to match.

import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { ContainerWorkload, ImageWorkload, PodWorkload } from '#kubelet'
import type { AnyObject } from '#objects'

export interface Entry {
  readonly t: number
  readonly pod?: string
  readonly watch: string
  readonly metadata: Readonly<Record<string, unknown>>
  readonly nodeName?: string
  readonly status: Readonly<Record<string, unknown>>
}

export interface RecordedEvent {
  readonly t: number
  readonly type: string
  readonly reason: string
  readonly message: string
  readonly count: number | null
  readonly source: { readonly component?: string }
  readonly reportingComponent: string
  readonly involvedObject: { readonly kind: string; readonly name: string; readonly fieldPath: string | null }
  readonly action?: string
}

export interface OptionalStatus {
  readonly pod?: string
  readonly container?: string
  readonly state: 'running' | 'terminated' | 'waiting'
  readonly withoutLastState?: boolean
  readonly phaseAfterIfUnseen?: string
}

export interface Compare {
  readonly mode: 'exact' | 'loose'
  readonly statusSequence: 'equal' | 'commonPrefix'
  readonly maxMissingEntries?: number
  readonly optionalStatuses?: readonly OptionalStatus[]
  readonly events: 'equal' | 'anyOrder'
  readonly eventCounts?: readonly {
    readonly reason: string
    readonly messagePrefix: string
    readonly object: string
    readonly container: string | null
    readonly recorded: number
    readonly tolerance: number
  }[]
  readonly countsVary?: boolean
  readonly ignoreTextPrefix?: string
  readonly ignoreTimeOf?: readonly string[]
  readonly anyOrderStatuses?: readonly unknown[]
  readonly optionalEvents?: readonly {
    readonly reason: string
    readonly container?: string | null
    readonly messagePrefix?: string
  }[]
  readonly ignoreTailSeconds?: number
}

export interface Action {
  readonly t: number
  readonly action: string
  readonly object?: string
  readonly args?: readonly unknown[]
  readonly code?: number
}

export interface PodBehaviour extends PodWorkload {
  readonly namePrefix?: string
  readonly createdAtSeconds?: number
  readonly containers: Readonly<Record<string, ContainerWorkload>>
}

/** Whether the runtime answers from a moment on. */
export interface RuntimeState {
  readonly fromSeconds: number
  readonly state: 'down' | 'up'
  readonly errorMessage?: string
  readonly containersSurvive?: boolean
}

/** What the runtime says of its network from a moment on. */
export interface NetworkState {
  readonly fromSeconds: number
  readonly ready: boolean
  readonly reason?: string
  readonly message?: string
}

export interface OthersRequested {
  readonly fromSeconds?: number
  readonly untilSeconds?: number
  readonly requests?: Readonly<Record<string, string>>
  readonly [resource: string]: unknown
}

/** A list where it changed. */
export type OthersRequest = OthersRequested | readonly OthersRequested[]

export interface NodeBehaviour {
  readonly othersRequest?: OthersRequest
  readonly otherPods?: readonly { readonly hostPort?: number; readonly forceDeletedAtSeconds?: number }[]
  readonly otherNodes?: readonly unknown[]
  readonly allocatable?: Readonly<Record<string, string>>
  readonly capacity?: Readonly<Record<string, string>>
  readonly labels?: Readonly<Record<string, string>>
  readonly os?: string
  readonly runtimeHandlers?: readonly string[]
  readonly hostPaths?: Readonly<Record<string, 'file' | 'directory' | 'absent'>>
  readonly storageClasses?: readonly AnyObject[]
  readonly persistentVolumes?: readonly AnyObject[]
  readonly allowedUnsafeSysctls?: readonly string[]
  readonly kubelet?: readonly { readonly fromSeconds: number; readonly state: 'stopped' | 'running' }[]
  readonly deletedAtSeconds?: number
  readonly runtime?: readonly RuntimeState[]
  readonly network?: readonly NetworkState[]
}

/** How the second recording of the same situation differed: entries that it lacked (`-`) or had besides (`+`). */
export interface SecondRun {
  readonly statusDifferences?: readonly string[]
  readonly eventDifferences?: readonly string[]
}

export interface Recording {
  readonly name: string
  /** Left out where a node itself was recorded. */
  readonly recordedWith?: { readonly runtime: string }
  readonly observedForSeconds: number
  readonly manifests: readonly AnyObject[]
  readonly actions: readonly Action[]
  readonly timeline: readonly Entry[]
  readonly events: readonly RecordedEvent[]
  readonly secondRun?: SecondRun
  readonly behaviour: {
    readonly images: Readonly<Record<string, ImageWorkload>>
    readonly pods: Readonly<Record<string, PodBehaviour>>
    readonly node?: NodeBehaviour
    readonly compare: Compare
  }
}

export const recordingsFolder = join(import.meta.dirname, 'recordings')

/** The recordings of a folder, by their paths. */
export const recordingsIn = (folder: string): readonly string[] =>
  readdirSync(folder)
    .filter((file) => file.endsWith('.json'))
    .sort()
    .map((file) => join(folder, file))

export const readRecording = (path: string): Recording => JSON.parse(readFileSync(path, 'utf8')) as Recording
