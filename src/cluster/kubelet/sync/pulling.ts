// Whether an image is there for a container: looked for, pulled by its policy, and waited for after failures
// (image_manager.go).

import type { ContainerSpec } from '../containers/containers.ts'
import { hasCredentials } from '../containers/pull-secrets.ts'
import type { Process } from '../ground/agenda.ts'
import { goDuration, goQuote } from '../ground/go-text.ts'
import type { PodLife } from '../life/pod-life.ts'
import type { PullPlan } from '../node/images.ts'
import type { WaitReason } from '../status/container-status.ts'
import { imageNameFault } from '../workload/image-reference.ts'
import { failsAfterSeconds, pullErrorText } from '../workload/pull-errors.ts'

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
function unauthorized({ pod, around }: PodLife, image: string): PullPlan | undefined {
  const { workloads, objects, timings } = around
  if (workloads.image(image).private !== true || hasCredentials(pod, image, objects)) return undefined
  const seconds = failsAfterSeconds.unauthorized
  const message = pullErrorText('unauthorized', image)
  return { pull: { seconds, result: 'error', message }, waitMs: 0, ms: seconds * 1000 * timings.pullFactor }
}

interface WantedImage {
  readonly image: string
  readonly policy: string
  /** Whose image it is. */
  readonly of: readonly [ContainerSpec['kind'], string]
}

export function* ensureImage(
  run: PodLife,
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
