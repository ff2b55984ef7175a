// What the loops themselves say beside a finding: the loop whose turn it is may be paused, fail on this very object, or not
// have begun; and a Fault may hold it. Pure.

import type { Fault } from '#kinds'
import { formatTime } from '#objects'
import type { LoopFigures } from '#reconcile'
import type { Finding } from './finding.ts'

export interface LoopState {
  readonly name: string
  readonly paused: boolean
  /** Every cache that it reads has been filled. */
  readonly synced: boolean
  readonly backoff: readonly {
    readonly key: string
    readonly failures: number
    readonly error: string
    /** World time, as text. */
    readonly nextTryAt?: string
  }[]
}

export const loopStateOf = ({ name, paused, synced, backoff }: LoopFigures): LoopState => ({
  name,
  paused,
  synced,
  backoff: backoff.map(({ nextTryAt, ...entry }) => ({
    ...entry,
    ...(nextTryAt === undefined ? {} : { nextTryAt: formatTime(nextTryAt) }),
  })),
})

/** Loops that findings call by another name. */
const otherNames: Readonly<Record<string, readonly string[]>> = {
  'persistentvolume controller': ['persistentvolumeclaim-binder', 'persistentvolume-binder', 'csi-provisioner'],
  'the provisioner of its StorageClass': ['csi-provisioner'],
  'volumeexpand controller': ['volumeexpand', 'csi-resizer'],
  'garbage collector': ['garbagecollector'],
  'application controller': ['application-controller'],
  'applicationset controller': ['applicationset-controller'],
  'appproject controller': ['appproject-controller'],
}

/** `kubelet on node-1 (probes)` is the loop `kubelet`. */
function namesOf({ loop }: Finding): readonly string[] {
  const plain = loop.replace(/^the /, '').replace(/ (?:on|of) .{1,300}$| \(.{1,300}\)$/, '')
  return otherNames[plain] ?? [plain.replace(/ controller$/, '')]
}

const keyOf = ({ object }: Finding): string => object.slice(object.indexOf(' ') + 1)

export function withLoop(finding: Finding, loops: readonly LoopState[]): Finding {
  if (finding.state === 'converged') return finding
  const names = namesOf(finding)
  const mine = loops.filter(({ name }) => names.includes(name))
  const key = keyOf(finding)
  const failing = mine.flatMap(({ name, backoff }) =>
    backoff.filter((entry) => entry.key === key).map((entry) => ({ name, ...entry })),
  )
  const paused = mine.find((loop) => loop.paused)
  const unsynced = mine.find(({ synced }) => !synced)
  const evidence = failing.map(
    ({ name, failures, error, nextTryAt }) =>
      `loop ${name} fails on it (${failures} times)${nextTryAt === undefined ? '' : `, next try at ${nextTryAt}`}: ${error}`,
  )
  if (paused !== undefined) return held(finding, `the loop ${paused.name} is paused`, evidence)
  if (unsynced !== undefined)
    return held(finding, `the loop ${unsynced.name} has not finished its first list`, evidence)
  if (failing.length === 0) return finding
  return { ...finding, state: 'stuck', evidence: [...finding.evidence, ...evidence] }
}

const held = (finding: Finding, why: string, evidence: readonly string[]): Finding => ({
  ...finding,
  state: 'stuck',
  gap: `${finding.gap}; ${why}`,
  evidence: [...finding.evidence, ...evidence],
})

/** The Faults whose targets (nodes, hosts, loops, webhooks) the finding speaks of: they hold until they are deleted. */
export function withFaults(finding: Finding, faults: readonly Fault[]): Finding {
  if (finding.state === 'converged') return finding
  const words = new Set(`${finding.loop} ${finding.gap} ${finding.object}`.split(/[^\w.-]+/))
  const names = namesOf(finding)
  const active = faults.filter(
    ({ status }) =>
      status?.phase !== 'Idle' && (status?.targets ?? []).some((target) => words.has(target) || names.includes(target)),
  )
  const [first] = active
  if (first === undefined) return finding
  const evidence = active.map(
    ({ metadata, status }) =>
      `Fault ${metadata.name} (${status?.type}) holds ${(status?.targets ?? []).slice(0, 5).join(', ')}`,
  )
  return {
    ...finding,
    evidence: [...finding.evidence, ...evidence],
    advice: `kubectl delete fault ${first.metadata.name} ends this trouble${finding.advice === undefined ? '' : `. ${finding.advice}`}`,
  }
}
