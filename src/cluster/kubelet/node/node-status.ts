// When a node's status has to be written: at once when it says something else, and every five minutes. Keeps nothing but
// what it has compared already.

import type { ContainerImage, Node, NodeStatus } from '#kinds'
import { isEqual, parseTime } from '#objects'
import { type NodeSpec, nodeStatus, type PressureType, type Readiness } from './node-object.ts'
import type { NodeRuntime } from './node-runtime.ts'

const statusMs = 300_000
const mostImages = 50

export interface NodeFindings {
  readonly spec: NodeSpec
  readonly index: number
  readonly runtime: NodeRuntime | undefined
  readonly readiness: Readiness
  readonly pressures: ReadonlySet<PressureType>
  readonly resources: Readonly<Record<string, string>>
  readonly volumesInUse: readonly string[]
  readonly runtimeHandlers: ReadonlySet<string>
  readonly now: number
}

/** Versions of nodes that say all there is to say, until when, and for which findings. */
const upToDate = new WeakMap<Node, { readonly stamp: string; readonly until: number }>()

/** Changes with what there is to say. */
function stampOf({ runtime, readiness, pressures, resources, volumesInUse, runtimeHandlers }: NodeFindings): string {
  const changing = pressures.size === 0 ? '' : [...pressures].join()
  const offered = Object.keys(resources).length === 0 ? '' : JSON.stringify(resources)
  return `${readiness.message} ${runtime?.images.version ?? -1} ${runtime?.bootID ?? ''} ${changing} ${volumesInUse.join()} ${offered} ${[...runtimeHandlers].join()}`
}

/** The status to be written now; undefined while it says the same and is fresh. */
export function dueStatus(node: Node, findings: NodeFindings): NodeStatus | undefined {
  const { runtime, now, ...parts } = findings
  const before = node.status
  const stamp = stampOf(findings)
  const checked = upToDate.get(node)
  if (checked !== undefined && checked.stamp === stamp && now < checked.until) return undefined
  const images = runtime === undefined ? (before?.images ?? []) : imagesOf(runtime, before?.images ?? [])
  const bootID = runtime?.bootID
  const status = nodeStatus({
    ...parts,
    before,
    images,
    now,
    ...(bootID === undefined ? {} : { bootID }),
  })
  const beatAt = parseTime(before?.conditions?.find(({ type }) => type === 'Ready')?.lastHeartbeatTime) ?? 0
  if (now - beatAt >= statusMs || !isEqual(timeless(status), timeless(before))) return status
  upToDate.set(node, { stamp, until: beatAt + statusMs })
  return undefined
}

const timeless = (status: NodeStatus | undefined): object | undefined =>
  status && { ...status, conditions: status.conditions?.map(({ lastHeartbeatTime: _beat, ...rest }) => rest) }

/** The largest images of the node; those that were there before a restart stay. */
function imagesOf({ images }: NodeRuntime, before: readonly ContainerImage[]): readonly ContainerImage[] {
  images.remember(before.flatMap(({ names = [] }) => names.at(-1) ?? []))
  return [...images.pulled]
    .map((name) => ({ names: images.namesOf(name), sizeBytes: images.sizeOf(name) }))
    .sort((a, b) => b.sizeBytes - a.sizeBytes)
    .slice(0, mostImages)
}
