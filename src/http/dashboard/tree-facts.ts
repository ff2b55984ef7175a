// The short facts that stand on a node of the resource tree: Argo CD's info items of pods and replica sets. Pure.

import type { ContainerStatus, Pod } from '#kinds'
import type { AnyObject } from '#objects'

interface Facts {
  readonly info: readonly { readonly name: string; readonly value: string }[]
  readonly images?: readonly string[]
}

export function podFacts(pod: Pod): Facts {
  const statuses = pod.status?.containerStatuses ?? []
  const containers = pod.spec?.containers ?? []
  const ready = statuses.filter((status) => status.ready).length
  const restarts = statuses.reduce((sum, status) => sum + (status.restartCount ?? 0), 0)
  const node = pod.spec?.nodeName
  return {
    info: [
      { name: 'Status Reason', value: reasonOf(pod) },
      ...(node === undefined ? [] : [{ name: 'Node', value: node }]),
      { name: 'Containers', value: `${ready}/${containers.length}` },
      ...(restarts === 0 ? [] : [{ name: 'Restart Count', value: String(restarts) }]),
    ],
    images: [...(pod.spec?.initContainers ?? []), ...containers].flatMap(({ image }) => image ?? []),
  }
}

/** The word in kubectl's STATUS column. */
function reasonOf(pod: Pod): string {
  const { status } = pod
  if (pod.metadata.deletionTimestamp !== undefined) return 'Terminating'
  for (const [index, init] of (status?.initContainerStatuses ?? []).entries()) {
    const word = waitingOrFailed(init)
    if (word !== undefined) return `Init:${word}`
    if (init.state?.terminated === undefined && init.started !== true)
      return `Init:${index}/${pod.spec?.initContainers?.length ?? 0}`
  }
  for (const container of status?.containerStatuses ?? []) {
    const word = waitingOrFailed(container) ?? container.state?.terminated?.reason
    if (word !== undefined) return word
  }
  return status?.reason ?? status?.phase ?? 'Unknown'
}

function waitingOrFailed({ state }: ContainerStatus): string | undefined {
  const waiting = state?.waiting?.reason
  if (waiting !== undefined && waiting !== 'PodInitializing') return waiting
  const terminated = state?.terminated
  if (terminated === undefined || terminated.exitCode === 0) return undefined
  return terminated.reason ?? `ExitCode:${terminated.exitCode}`
}

export function replicaSetFacts(set: AnyObject): Facts {
  const revision = set.metadata.annotations?.['deployment.kubernetes.io/revision']
  return { info: revision === undefined ? [] : [{ name: 'Revision', value: `Rev:${revision}` }] }
}
