// Starting one container: back-off, image, creation, start, postStart hook. What goes wrong is kept as the reason that
// its status says `waiting` for (kuberuntime_container.go).

import { appArmorFault } from '../containers/apparmor.ts'
import { type ContainerRecord, type ContainerSpec, latest } from '../containers/containers.ts'
import { environmentFault } from '../containers/environment.ts'
import { mountFault } from '../containers/mounts.ts'
import { seccompFault } from '../containers/seccomp.ts'
import { nonRootFault, toldUser, userOf } from '../containers/users.ts'
import { killContainer } from '../ending/ending.ts'
import { type Hook, hookFailure, runHook } from '../ending/hooks.ts'
import { planEnd } from '../ending/lifetime.ts'
import type { Process } from '../ground/agenda.ts'
import { goDuration } from '../ground/go-text.ts'
import { canRecurse } from '../life/pod-runtime.ts'
import { variablesIn } from '../life/pod-variables.ts'
import type { Listing } from '../life/runtime-view.ts'
import { reportedImage } from '../node/images.ts'
import type { PodRun } from '../pod/pod-run.ts'
import type { WaitReason } from '../status/container-status.ts'
import type { ContainerWorkload } from '../workload/workload.ts'
import { ensureImage } from './pulling.ts'

/** False when it could not be started. */
export function* startContainer(run: PodRun, container: ContainerSpec, listing: Listing): Process<boolean> {
  const { name } = container.spec
  const fault = inBackoff(run, container, listing) ?? (yield* launch(run, container, listing))
  if (fault === undefined) run.reasons.delete(name)
  else run.reasons.set(name, fault)
  return fault === undefined
}

/** The first restart is free; from then on an exited container waits, twice as long each time. */
function inBackoff(
  run: PodRun,
  { kind, spec: { name, image = '', resources } }: ContainerSpec,
  listing: Listing,
): WaitReason | undefined {
  const exited = listing.records.find((record) => record.name === name && record.state === 'exited')
  if (exited === undefined) return undefined
  // With another image or other resources it may do better.
  const key = `${name} ${image} ${JSON.stringify(resources ?? {})}`
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

function* launch(run: PodRun, container: ContainerSpec, listing: Listing): Process<WaitReason | undefined> {
  const { name, image = '', imagePullPolicy: policy = 'IfNotPresent' } = container.spec
  const noImage = yield* ensureImage(run, { image, policy, of: [container.kind, name] })
  if (noImage !== undefined) {
    fail(run, container, noImage.reason)
    return noImage
  }
  const { pod, around } = run
  const workload = around.workloads.container(pod, container.spec.name)
  const config =
    targetFault(container.spec, listing) ??
    environmentFault(container.spec, pod, around.objects) ??
    mountFault(container.spec, { recursion: canRecurse(run), variables: () => variablesIn(run, container.spec) }) ??
    nonRootFault(container.spec, pod, around.workloads.image(container.spec.image ?? ''))
  if (config !== undefined) {
    fail(run, container, config)
    return { reason: 'CreateContainerConfigError', message: config }
  }
  const refused =
    workload.createError?.message ??
    appArmorFault(container.spec, pod, around.node.facts().appArmor.profiles) ??
    seccompFault(container.spec, pod, (path) => around.node.files.typeOf(path))
  if (refused !== undefined) {
    fail(run, container, refused)
    return { reason: 'CreateContainerError', message: refused }
  }
  yield { ms: around.timings.createMs }
  const created = makeRecord(run, container)
  run.put(created)
  run.event('Normal', 'Created', `Created container: ${created.name}`, [container.kind, created.name])
  return yield* start(run, container, { created, workload })
}

/** A container that is to look into another one needs that to be there. */
function targetFault(spec: ContainerSpec['spec'], { records }: Listing): string | undefined {
  const target = 'targetContainerName' in spec ? spec.targetContainerName : undefined
  return !target || latest(records, target) !== undefined ? undefined : `unable to find target container ${target}`
}

const fail = (run: PodRun, { kind, spec: { name } }: ContainerSpec, text: string): void =>
  run.event('Warning', 'Failed', `Error: ${text}`, [kind, name])

function makeRecord(run: PodRun, { kind, spec }: ContainerSpec): ContainerRecord {
  const { random, workloads, node } = run.around
  const image = spec.image ?? ''
  const known = workloads.image(image)
  const reported = reportedImage(image, known)
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
    user: node.runtime.isModern ? toldUser(userOf(spec, run.pod, known)) : undefined,
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
