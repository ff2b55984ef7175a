// One sync of a pod that is to run: tell its status, mount its volumes, then take the steps that its containers need.

import { decideActions } from '../actions/actions.ts'
import { missingSecretsText } from '../containers/pull-secrets.ts'
import { killContainer, killPod } from '../ending/ending.ts'
import type { Process } from '../ground/agenda.ts'
import type { PodRun } from '../pod/pod-run.ts'
import { isTerminalPhase } from '../status/phase.ts'
import { mountVolumes } from './mount.ts'
import { createSandbox } from './sandbox.ts'
import { startContainer } from './starting.ts'

/** The network may be ready soon. */
const networkRetryMs = 1000

export function* syncPod(run: PodRun): Process {
  const listing = run.seen
  run.resizing.check()
  const phase = run.setStatus(listing, false)
  if (isTerminalPhase(phase)) {
    run.proceed('terminating')
    return
  }
  const trouble = run.around.networkTrouble()
  if (trouble !== undefined && run.pod.spec.hostNetwork !== true) {
    run.event('Warning', 'NetworkNotReady', `network is not ready: ${trouble}`)
    run.retry(networkRetryMs)
    return
  }
  const mounted = run.mounted || (yield* mountVolumes(run))
  if (run.ending.isOpen) return
  if (!mounted) {
    run.retry()
    return
  }
  const missing = missingSecretsText(run.pod, run.around.objects)
  if (missing !== undefined) run.event('Warning', 'FailedToRetrieveImagePullSecret', missing)
  run.probing.begin()
  const succeeded = yield* syncContainers(run, listing)
  if (!succeeded && !run.ending.isOpen) run.retry()
}

/**
 * False when something failed, and the sync is to be repeated. What is begun here is done to its end, even when the pod is
 * to end meanwhile: pulls, hooks and kills are not called off.
 */
function* syncContainers(run: PodRun, listing: PodRun['seen']): Process<boolean> {
  const actions = decideActions({
    pod: run.pod,
    sandbox: listing.sandbox,
    records: listing.records,
    failed: (record, probe) => run.probing.hasFailed(probe, record),
    isStarted: (record) => run.probing.isStarted(record),
    resizeRestarts: run.resizing.restarts(),
  })
  if (actions.killPod) {
    if (actions.createSandbox)
      run.event('Normal', 'SandboxChanged', 'Pod sandbox changed, it will be killed and re-created.')
    yield* killPod(run, undefined)
    if (!actions.createSandbox) return true
    run.purgeInit()
  } else {
    for (const { record, message, reason } of actions.kill) yield* killContainer(run, record, { message, reason })
  }
  let succeeded = true
  if (actions.createSandbox && !(yield* createSandbox(run))) return false
  for (const container of actions.startEphemeral) {
    if (!(yield* startContainer(run, container, listing))) succeeded = false
  }
  for (const container of actions.startInit) {
    if (yield* startContainer(run, container, listing)) continue
    succeeded = false
    if (!container.sidecar) return false
  }
  if (!run.resizing.actuate()) succeeded = false
  for (const container of actions.start) {
    if (!(yield* startContainer(run, container, listing))) succeeded = false
  }
  return succeeded
}
