// Starting one container: back-off, image, creation, start, postStart hook. What goes wrong is kept as the reason that
// its status says `waiting` for (kuberuntime_container.go, image_manager.go).

import type { Process } from './agenda.ts'
import type { WaitReason } from './container-status.ts'
import type { ContainerRecord, ContainerSpec } from './containers.ts'
import { killContainer } from './ending.ts'
import { environmentFault } from './environment.ts'
import { goDuration, goQuote } from './go-text.ts'
import { type Hook, hookFailure, runHook } from './hooks.ts'
import { imageNameFault } from './image-reference.ts'
import { type PullPlan, reportedImage } from './images.ts'
import { planEnd } from './lifetime.ts'
import { mountFault } from './mounts.ts'
import type { Listing, PodRun } from './pod-run.ts'
import { failsAfterSeconds, pullErrorText } from './profiles/pull-errors.ts'
import { hasCredentials } from './pull-secrets.ts'
import { nonRootFault } from './users.ts'
import { variablesIn } from './variables.ts'
import type { ContainerWorkload } from './workload.ts'

/** False when it could not be started. */
export function* startContainer(run: PodRun, container: ContainerSpec, listing: Listing): Process<boolean> {
  const { name } = container.spec
  const fault = inBackoff(run, container, listing) ?? (yield* launch(run, container))
  if (fault === undefined) run.reasons.delete(name)
  else run.reasons.set(name, fault)
  return fault === undefined
}

/** The first restart is free; from then on an exited container waits, twice as long each time. */
function inBackoff(
  run: PodRun,
  { kind, spec: { name, image = '' } }: ContainerSpec,
  listing: Listing,
): WaitReason | undefined {
  const exited = listing.records.find((record) => record.name === name && record.state === 'exited')
  if (exited === undefined) return undefined
  const key = `${name} ${image}`
  if (!run.crashes.isWaitingSince(key, exited.finishedAt, run.now)) {
    run.crashes.next(key, exited.finishedAt, run.now)
    return undefined
  }
  run.event('Warning', 'BackOff', `Back-off restarting failed container ${name} in pod ${run.title}`, [kind, name])
  const delay = goDuration(run.crashes.delayMs(key))
  return {
    reason: 'CrashLoopBackOff',
    message: `back-off ${delay} restarting failed container=${name} pod=${run.title}`,
  }
}

function* launch(run: PodRun, container: ContainerSpec): Process<WaitReason | undefined> {
  const { name, image = '', imagePullPolicy: policy = 'IfNotPresent' } = container.spec
  const noVolume = yield* ensureVolumes(run, container)
  if (noVolume !== undefined) return noVolume
  const noImage = yield* ensureImage(run, { image, policy, of: [container.kind, name] })
  if (noImage !== undefined) {
    fail(run, container, noImage.reason)
    return noImage
  }
  const { pod, around } = run
  const workload = around.workloads.container(pod, container.spec.name)
  const config =
    environmentFault(container.spec, pod, around.objects) ??
    mountFault(container.spec, () => variablesIn(run, container.spec)) ??
    nonRootFault(container.spec, pod, around.workloads.image(container.spec.image ?? ''))
  if (config !== undefined) {
    fail(run, container, config)
    return { reason: 'CreateContainerConfigError', message: config }
  }
  if (workload.createError !== undefined) {
    fail(run, container, workload.createError.message)
    return { reason: 'CreateContainerError', message: workload.createError.message }
  }
  yield { ms: around.timings.createMs }
  const created = makeRecord(run, container)
  run.put(created)
  run.event('Normal', 'Created', `Created container: ${created.name}`, [container.kind, created.name])
  return yield* start(run, container, { created, workload })
}

const fail = (run: PodRun, { kind, spec: { name } }: ContainerSpec, text: string): void =>
  run.event('Warning', 'Failed', `Error: ${text}`, [kind, name])

function makeRecord(run: PodRun, { kind, spec }: ContainerSpec): ContainerRecord {
  const { random, workloads } = run.around
  const image = spec.image ?? ''
  const reported = reportedImage(image, workloads.image(image))
  const id = `containerd://${random.hex(64)}`
  return {
    id,
    name: spec.name,
    kind,
    attempt: run.nextAttempt(spec.name),
    state: 'created',
    createdAt: run.now,
    startedAt: 0,
    finishedAt: 0,
    exitCode: 0,
    reason: '',
    message: '',
    specImage: image,
    image: reported.name,
    imageID: reported.id,
    resources: kind === 'ephemeral' ? {} : run.resizing.resourcesFor(spec),
  }
}

interface Created {
  readonly created: ContainerRecord
  readonly workload: ContainerWorkload
}

function* start(
  run: PodRun,
  container: ContainerSpec,
  { created, workload }: Created,
): Process<WaitReason | undefined> {
  const { timings } = run.around
  const { startError } = workload
  if (startError !== undefined) {
    yield { ms: (startError.seconds ?? 0) * 1000 }
    const { message, exitCode, reason } = startError
    run.put({ ...created, state: 'exited', startedAt: 0, finishedAt: run.now, exitCode, reason, message })
    fail(run, container, message)
    return { reason: 'RunContainerError', message }
  }
  yield { ms: workload.startSeconds === undefined ? timings.startMs : workload.startSeconds * 1000 }
  const running: ContainerRecord = { ...created, state: 'running', startedAt: run.now }
  run.put(running)
  planEnd(run, running, workload)
  run.limits.watchUsage()
  run.event('Normal', 'Started', `Started container ${running.name}`, [container.kind, running.name])
  return yield* postStart(run, container, { record: running, workload })
}

function* postStart(
  run: PodRun,
  { kind, spec }: ContainerSpec,
  { record, workload }: { readonly record: ContainerRecord; readonly workload: ContainerWorkload },
): Process<WaitReason | undefined> {
  const handler = spec.lifecycle?.postStart
  if (handler === undefined) return undefined
  const hook: Hook = { record, handler, outcome: workload.hooks?.postStart }
  const error = yield* runHook(run, hook)
  if (error === undefined) return undefined
  run.event('Warning', 'FailedPostStartHook', 'PostStartHook failed', [kind, spec.name])
  yield* killContainer(run, record, { message: 'FailedPostStartHook', reason: 'other' })
  return { reason: 'PostStartHookError', message: hookFailure(run, hook, error) }
}

/** Two errors of the runtime have a name of their own (evalCRIPullErr). */
function pullFault(image: string, error: string): WaitReason {
  for (const [reason, why] of [
    ['RegistryUnavailable', 'the registry is unavailable'],
    ['SignatureValidationFailed', 'the signature validation failed'],
  ] as const) {
    if (error.startsWith(reason))
      return { reason, message: `image pull failed for ${image} because ${why}${error.slice(reason.length)}` }
  }
  return { reason: 'ErrImagePull', message: error }
}

/** What a pull comes to that is given up. */
const cancelled = 'rpc error: code = Canceled desc = context canceled'

/** The registry wants credentials that the pod does not have. */
function unauthorized({ pod, around }: PodRun, image: string): PullPlan | undefined {
  const { workloads, objects, timings } = around
  if (workloads.image(image).private !== true || hasCredentials(pod, image, objects)) return undefined
  const seconds = failsAfterSeconds.unauthorized
  const message = pullErrorText('unauthorized', image)
  return { pull: { seconds, result: 'error', message }, waitMs: 0, ms: seconds * 1000 * timings.pullFactor }
}

/** The images that a container mounts as volumes; what goes wrong is said of the pod. */
function* ensureVolumes(run: PodRun, { spec }: ContainerSpec): Process<WaitReason | undefined> {
  for (const { name, image: volume } of run.pod.spec.volumes ?? []) {
    if (volume === undefined || spec.volumeMounts?.some((mount) => mount.name === name) !== true) continue
    const { reference: image = '', pullPolicy: policy = 'IfNotPresent' } = volume
    const fault = yield* ensureImage(run, { image, policy })
    if (fault !== undefined) return fault
  }
  return undefined
}

interface WantedImage {
  readonly image: string
  readonly policy: string
  /** Whose image it is. */
  readonly of?: readonly [ContainerSpec['kind'], string]
}

function* ensureImage(
  run: PodRun,
  { image, policy: imagePullPolicy, of }: WantedImage,
): Process<WaitReason | undefined> {
  const { images } = run.around.node
  const told = (type: 'Normal' | 'Warning', reason: string, message: string): void =>
    run.event(type, reason, message, of)
  const unreadable = imageNameFault(image)
  if (unreadable !== undefined) {
    const message = `Failed to apply default image tag ${goQuote(image)}: couldn't parse image name ${goQuote(image)}: ${unreadable}`
    told('Warning', 'InspectFailed', message)
    return { reason: 'InvalidImageName', message }
  }
  if (imagePullPolicy !== 'Always' && images.has(image)) {
    told('Normal', 'Pulled', `Container image ${goQuote(image)} already present on machine`)
    return undefined
  }
  if (imagePullPolicy === 'Never') {
    const message = `Container image ${goQuote(image)} is not present with pull policy of Never`
    told('Warning', 'ErrImageNeverPull', message)
    return { reason: 'ErrImageNeverPull', message }
  }
  if (run.pulls.isWaiting(image, run.now)) {
    const message = `Back-off pulling image ${goQuote(image)}`
    told('Normal', 'BackOff', message)
    const last = run.pullErrors.get(image)
    const why = last === undefined ? '' : `: ${last.reason}: ${last.message}`
    return { reason: 'ImagePullBackOff', message: `${message}${why}` }
  }
  told('Normal', 'Pulling', `Pulling image ${goQuote(image)}`)
  const begunAt = run.now
  const { pull, waitMs, ms } = unauthorized(run, image) ?? images.pull(image, begunAt)
  // A registry that never answers is given up for a pod that is to end, at the latest.
  if (pull.result === 'hangs') yield { gates: [run.ending] }
  else yield { ms: waitMs + ms }
  if (pull.result !== 'ok') {
    const error = pull.result === 'hangs' ? cancelled : (pull.message ?? '')
    told('Warning', 'Failed', `Failed to pull image ${goQuote(image)}: ${error}`)
    run.pulls.next(image, run.now, run.now)
    const fault = pullFault(image, error)
    run.pullErrors.set(image, fault)
    return fault
  }
  images.add(image)
  const took = goDuration(ms)
  const inAll = goDuration(waitMs + ms)
  const size = pull.sizeBytes ?? run.around.workloads.image(image).sizeBytes ?? 0
  told(
    'Normal',
    'Pulled',
    `Successfully pulled image ${goQuote(image)} in ${took} (${inAll} including waiting). Image size: ${size} bytes.`,
  )
  return undefined
}
