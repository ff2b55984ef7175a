// The one translation from what a recording says that its containers, images and pods did into WorkloadProfiles.

import type {
  ProfileContainer,
  ProfileHook,
  ProfileImage,
  ProfileRun,
  WorkloadProfile,
  WorkloadProfileSpec,
} from '#kinds'
import type { ContainerWorkload, HookOutcome, ImageWorkload, OnSigterm, ProbeSegment, Pull, Run } from '#kubelet'
import type { PodBehaviour, Recording } from './recording.ts'

/** The object with those of the named fields that it has. */
function pick<T extends object, K extends keyof T>(from: T, ...fields: readonly K[]): Pick<T, K> {
  return Object.fromEntries(
    fields.flatMap((field) => (from[field] === undefined ? [] : [[field, from[field]]])),
  ) as Pick<T, K>
}

const runOf = (run: Run): ProfileRun =>
  pick(run, 'forever', 'exitCode', 'afterSeconds', 'oomKilled', 'terminationMessage', 'logTail')

const sigtermOf = (onSigterm: OnSigterm): ProfileContainer['onSigterm'] & object =>
  onSigterm === 'ignored'
    ? { ignored: true }
    : pick(onSigterm, 'exitCode', 'afterSeconds', 'deferredUntilSeconds', 'ignoredBeforeSeconds')

const segmentsOf = (segments: readonly ProbeSegment[]) =>
  segments.map((segment) => ({
    ...pick(segment, 'fromSeconds', 'since', 'result', 'output'),
    ...(segment.cause === undefined
      ? {}
      : { cause: pick(segment.cause, 'kind', 'exitCode', 'httpStatus', 'body', 'takesSeconds') }),
  }))

const hookOf = (hook: HookOutcome): ProfileHook => pick(hook, 'result', 'seconds', 'exitCode', 'output', 'message')

function containerOf({ runs, startError, createError, onSigterm, probes, hooks }: ContainerWorkload): ProfileContainer {
  return {
    runs: runs.length === 0 ? [{ forever: true }] : runs.map(runOf),
    ...(startError === undefined ? {} : { startError: pick(startError, 'message', 'exitCode', 'reason', 'seconds') }),
    ...(createError === undefined ? {} : { createError: { message: createError.message } }),
    ...(onSigterm === undefined ? {} : { onSigterm: sigtermOf(onSigterm) }),
    probes: {
      ...(probes?.startup === undefined ? {} : { startup: segmentsOf(probes.startup) }),
      ...(probes?.readiness === undefined ? {} : { readiness: segmentsOf(probes.readiness) }),
      ...(probes?.liveness === undefined ? {} : { liveness: segmentsOf(probes.liveness) }),
    },
    hooks: {
      ...(hooks?.postStart === undefined ? {} : { postStart: hookOf(hooks.postStart) }),
      ...(hooks?.preStop === undefined ? {} : { preStop: hookOf(hooks.preStop) }),
    },
  }
}

const pullOf = ({ seconds, result, sizeBytes, message }: Pull) => ({
  seconds,
  ...(result === 'hangs' ? { hangs: true } : {}),
  ...(sizeBytes === undefined ? {} : { sizeBytes }),
  ...(message === undefined ? {} : { message }),
})

function imageOf({ pulls, present = false, ...image }: ImageWorkload): ProfileImage {
  const { sizeBytes } = image
  const atOnce: Pull = { seconds: 0, result: 'ok', ...(sizeBytes === undefined ? {} : { sizeBytes }) }
  return {
    present,
    ...pick(image, 'sizeBytes', 'reportedName', 'imageID', 'user'),
    pulls: (pulls === undefined || pulls.length === 0 ? [atOnce] : pulls).map(pullOf),
  }
}

function podSpecs(
  name: string,
  { namePrefix, ...pod }: PodBehaviour,
  namespace: string,
): readonly WorkloadProfileSpec[] {
  const match = { namespaces: [namespace], pods: [namePrefix === undefined ? name : `${namePrefix}*`] }
  // A pod's own name goes before a prefix of it.
  const priority = namePrefix === undefined ? 1 : 0
  const { usage, sandbox, containers } = pod
  const ofPod = {
    ...(sandbox?.createError === undefined ? {} : { sandboxError: sandbox.createError.message }),
    ...(usage?.ephemeralStorageBytes === undefined
      ? {}
      : {
          storage: { ...pick(usage, 'fromSeconds', 'volumes', 'containers'), totalBytes: usage.ephemeralStorageBytes },
        }),
  }
  return [
    ...(Object.keys(ofPod).length === 0 ? [] : [{ priority, match, pod: ofPod }]),
    ...Object.entries(containers).map(([container, workload]) => ({
      priority,
      match: { ...match, containers: [container] },
      container: containerOf(workload),
    })),
  ]
}

export function profilesOf({ behaviour }: Recording, namespace: string): readonly WorkloadProfile[] {
  const specs: readonly WorkloadProfileSpec[] = [
    ...Object.entries(behaviour.images).map(([name, image]) => ({ match: { images: [name] }, image: imageOf(image) })),
    // What else runs on the node came there before.
    { priority: -1, match: { images: ['*'] }, image: { present: true, sizeBytes: 1 } },
    ...Object.entries(behaviour.pods).flatMap(([name, pod]) => podSpecs(name, pod, namespace)),
  ]
  return specs.map((spec, i) => ({
    apiVersion: 'lab.homeostat.dev/v1alpha1',
    kind: 'WorkloadProfile',
    metadata: { name: `behaviour-${i}` },
    spec,
  }))
}
