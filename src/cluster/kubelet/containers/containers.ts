// The containers of a pod as the runtime has them. Records are never changed, only replaced, so that what the kubelet saw
// at its last listing stays as it was.

import {
  type Container,
  type ContainerUser,
  type EphemeralContainer,
  isSidecar,
  type PodSpec,
  type ResourceRequirements,
} from '#kinds'

export type ContainerKind = 'init' | 'main' | 'ephemeral'

/** A container of the spec, whatever list it stands in. */
export interface ContainerSpec {
  readonly kind: ContainerKind
  readonly spec: Container | EphemeralContainer
  readonly sidecar: boolean
}

export interface ContainerRecord {
  readonly id: string
  readonly name: string
  readonly kind: ContainerKind
  /** 0 for the first, one more with each restart. */
  readonly attempt: number
  readonly state: 'created' | 'running' | 'exited'
  readonly createdAt: number
  /** Instants in milliseconds; 0 for a container that never started. */
  readonly startedAt: number
  readonly finishedAt: number
  readonly exitCode: number
  readonly reason: string
  readonly message: string
  /** Image as written in the spec, and as the runtime calls it. */
  readonly specImage: string
  readonly image: string
  readonly imageID: string
  readonly resources: ResourceRequirements
  /** Where the runtime tells it. */
  readonly user?: ContainerUser | undefined
}

export interface Sandbox {
  readonly ready: boolean
  readonly ip: string
  readonly attempt: number
  /** Containers that were made before belong to another one. */
  readonly createdAt: number
}

const specField: Readonly<Record<ContainerKind, string>> = {
  init: 'spec.initContainers',
  main: 'spec.containers',
  ephemeral: 'spec.ephemeralContainers',
}

const fieldPaths: Readonly<Record<ContainerKind, Map<string, string>>> = {
  init: new Map(),
  main: new Map(),
  ephemeral: new Map(),
}
const fieldPathLimit = 1000

/** `spec.containers{app}`: what Events say of a container. The same text for all containers of a name. */
export function fieldPathOf(kind: ContainerKind, name: string): string {
  const known = fieldPaths[kind].get(name)
  if (known !== undefined) return known
  const path = `${specField[kind]}{${name}}`
  if (fieldPaths[kind].size >= fieldPathLimit) fieldPaths[kind].clear()
  fieldPaths[kind].set(name, path)
  return path
}

interface Made {
  readonly spec: PodSpec
  readonly list: readonly ContainerSpec[]
}

/** By the list of main containers, which the pods of one owner share. */
const made = new WeakMap<PodSpec['containers'], Made>()

/** All containers: init containers, main containers, ephemeral ones, each in the order of the spec. */
export function containersOf(spec: PodSpec): readonly ContainerSpec[] {
  const known = made.get(spec.containers)
  if (
    known !== undefined &&
    known.spec.initContainers === spec.initContainers &&
    known.spec.ephemeralContainers === spec.ephemeralContainers
  )
    return known.list
  const list: readonly ContainerSpec[] = [
    ...(spec.initContainers ?? []).map((one) => ({ kind: 'init' as const, spec: one, sidecar: isSidecar(one) })),
    ...spec.containers.map((one) => ({ kind: 'main' as const, spec: one, sidecar: false })),
    ...(spec.ephemeralContainers ?? []).map((one) => ({ kind: 'ephemeral' as const, spec: one, sidecar: false })),
  ]
  made.set(spec.containers, { spec, list })
  return list
}

/** The container whose resources somebody asks for by its name: ephemeral ones are not found (findContainerInPod). */
export const askedContainer = (
  { containers, initContainers = [] }: PodSpec,
  name: string | undefined,
): Container | undefined => [...containers, ...initContainers].find((one) => one.name === name)

export const noContainer = (name: string): string => `container ${name} not found`

/** The newest container of this name. Records are kept newest first. */
export const latest = (records: readonly ContainerRecord[], name: string): ContainerRecord | undefined =>
  records.find((record) => record.name === name)

export const runningRecord = (records: readonly ContainerRecord[], name: string): ContainerRecord | undefined =>
  records.find((record) => record.name === name && record.state === 'running')
