// Container statuses from what the runtime has, the reasons why containers could not be started, and the statuses before
// (kubelet_pods.go, convertToAPIContainerStatuses).

import {
  amountOf,
  type Container,
  type ContainerState,
  type ContainerStatus,
  type Pod,
  type ResourceRequirements,
  type VolumeMount,
  type VolumeMountStatus,
} from '#kinds'
import { formatTime, wholeQuantity } from '#objects'
import { type ContainerRecord, type ContainerSpec, latest } from '../containers/containers.ts'
import { firstBytes } from '../ground/bytes.ts'

/** Why a container could not be started: what `waiting` says. */
export interface WaitReason {
  readonly reason: string
  readonly message: string
}

export interface ContainerView {
  readonly pod: Pod
  /** Newest first. */
  readonly records: readonly ContainerRecord[]
  readonly reasons: { get(name: string): WaitReason | undefined }
  /** What was set aside for a container, which may be other than what it runs with. */
  readonly allocated: (container: Pick<Container, 'name' | 'resources'>) => ResourceRequirements
  /** Whether the runtime can mount recursively read-only. */
  readonly recursion: boolean
  readonly isStarted: (record: ContainerRecord) => boolean
  readonly isReady: (record: ContainerRecord) => boolean
}

const noState: ContainerState = {}

const inBytes = new WeakMap<ResourceRequirements, ResourceRequirements>()

/** What a container runs with is told as its runtime counts it: a memory limit of 512M is one of 500000Ki. */
function ofRuntime(resources: ResourceRequirements): ResourceRequirements {
  const memory = resources.limits?.memory
  if (memory === undefined) return resources
  const known = inBytes.get(resources)
  if (known !== undefined) return known
  const bytes = wholeQuantity(amountOf('memory', memory), 'BinarySI')
  const told = bytes === memory ? resources : { ...resources, limits: { ...resources.limits, memory: bytes } }
  inBytes.set(resources, told)
  return told
}

/** All messages of a pod together; each container has its share. */
const longestMessages = 12 * 1024

function longestMessage({ initContainers = [], containers, ephemeralContainers = [] }: Pod['spec']): number {
  return Math.floor(longestMessages / (initContainers.length + containers.length + ephemeralContainers.length))
}

function stateOf(record: ContainerRecord, { pod }: ContainerView): ContainerState {
  if (record.state === 'running') return { running: { startedAt: formatTime(record.startedAt) } }
  if (record.state === 'created') return { waiting: {} }
  return {
    terminated: {
      exitCode: record.exitCode,
      reason: record.reason,
      ...(record.message === '' ? {} : { message: firstBytes(record.message, longestMessage(pod.spec)) }),
      startedAt: formatTime(record.startedAt),
      finishedAt: formatTime(record.finishedAt),
      containerID: record.id,
    },
  }
}

/** Where the runtime cannot mount recursively read-only, and that is only wished for, it is left out. */
const mountStatus =
  (recursion: boolean) =>
  ({ name, mountPath, readOnly, recursiveReadOnly: wish = 'Disabled' }: VolumeMount): VolumeMountStatus =>
    readOnly === true
      ? { name, mountPath, readOnly, recursiveReadOnly: recursion && wish !== 'Disabled' ? 'Enabled' : 'Disabled' }
      : { name, mountPath }

type Mounts = WeakMap<readonly VolumeMount[], readonly VolumeMountStatus[]>
const [withRecursion, withoutRecursion]: readonly [Mounts, Mounts] = [new WeakMap(), new WeakMap()]

function mountStatuses(list: readonly VolumeMount[], recursion: boolean): readonly VolumeMountStatus[] {
  const mounts = recursion ? withRecursion : withoutRecursion
  const known = mounts.get(list) ?? list.map(mountStatus(recursion))
  mounts.set(list, known)
  return known
}

/** Whether the next sync would start it again (or for the first time). */
export function shouldRestart(name: string, pod: Pod, records: readonly ContainerRecord[]): boolean {
  if (pod.metadata.deletionTimestamp !== undefined) return false
  const record = latest(records, name)
  if (record === undefined || record.state === 'created') return true
  if (record.state === 'running') return false
  const { restartPolicy = 'Always' } = pod.spec
  if (restartPolicy === 'Never') return false
  return restartPolicy === 'Always' || record.exitCode !== 0
}

function fromRecords(spec: ContainerSpec['spec'], view: ContainerView): Draft | undefined {
  const at = view.records.findIndex(({ name }) => name === spec.name)
  const current = view.records[at]
  if (current === undefined) return undefined
  const previous = view.records.find(({ name }, i) => i > at && name === spec.name)
  const allocated = spec.resources === undefined ? current.resources : view.allocated(spec)
  const { requests } = allocated
  const status: Draft = {
    name: spec.name,
    state: stateOf(current, view),
    lastState: previous === undefined ? noState : stateOf(previous, view),
    ready: false,
    restartCount: current.attempt,
    image: current.image,
    imageID: current.imageID,
    containerID: current.id,
    resources: current.state === 'running' ? ofRuntime(current.resources) : allocated,
  }
  if (!isEmpty(requests)) status.allocatedResources = requests
  if (current.user !== undefined) status.user = current.user
  return status
}

/** A status while it is being made: fields are set in place, so that all statuses are objects of one shape. */
type Draft = { -readonly [K in keyof ContainerStatus]: ContainerStatus[K] }

function isEmpty(requests: ResourceRequirements['requests']): requests is undefined {
  for (const _ in requests) return false
  return true
}

function withoutRecords(spec: ContainerSpec['spec'], before: ContainerStatus | undefined, hasInit: boolean): Draft {
  // A container that has ended may be gone from the runtime: what was said of it stays.
  if (before?.state?.terminated !== undefined) return { ...before }
  return {
    name: spec.name,
    state: { waiting: { reason: hasInit ? 'PodInitializing' : 'ContainerCreating' } },
    lastState: before?.lastState ?? noState,
    ready: false,
    restartCount: before?.restartCount ?? 0,
    image: spec.image ?? '',
    imageID: '',
  }
}

function setReason(status: Draft, container: ContainerSpec, view: ContainerView): void {
  const reason = view.reasons.get(status.name)
  if (reason === undefined) return
  const record = latest(view.records, status.name)
  const doneInit = container.kind === 'init' && record?.state === 'exited' && record.exitCode === 0
  // Sidecars are no exception here, though they are started again whatever the pod's policy.
  if (doneInit || !shouldRestart(status.name, view.pod, view.records)) return
  const { message } = reason
  if (status.state?.terminated !== undefined) status.lastState = status.state
  status.state = { waiting: { reason: reason.reason, ...(message === '' ? {} : { message }) } }
}

function setReadiness(status: Draft, container: ContainerSpec, view: ContainerView): void {
  if (container.kind === 'ephemeral') return
  const record = latest(view.records, status.name)
  const running = status.state?.running !== undefined && record !== undefined
  status.started = running && view.isStarted(record)
  status.ready =
    container.kind === 'init' && !container.sidecar
      ? status.state?.terminated?.exitCode === 0
      : status.started && record !== undefined && view.isReady(record)
}

/** `told` are the statuses before. */
export function containerStatus(
  container: ContainerSpec,
  view: ContainerView,
  told: readonly ContainerStatus[],
): ContainerStatus {
  const { spec } = container
  const hasInit = (view.pod.spec.initContainers?.length ?? 0) > 0
  const before = told.find(({ name }) => name === spec.name)
  const status = fromRecords(spec, view) ?? withoutRecords(spec, before, hasInit)
  setReason(status, container, view)
  setReadiness(status, container, view)
  const list = spec.volumeMounts
  if (list !== undefined && list.length > 0) status.volumeMounts = mountStatuses(list, view.recursion)
  return status
}
