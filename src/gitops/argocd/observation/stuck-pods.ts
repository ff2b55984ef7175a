// Why a workload does not get on: its own status only counts its pods, so those of them that cannot run are told beside it.
// Only they are kept in view, and an application hears of a pod only while it waits for its workload.

import { healthOf, type Verdict } from '#gitops/health'
import { type ContainerStatus, Pod, ReplicaSet } from '#kinds'
import type { AnyObject } from '#objects'
import type { Cache, Index } from '#reconcile'
import type { HealthOf } from '../comparison/judge.ts'

const withPods: ReadonlySet<string> = new Set(['Deployment', 'ReplicaSet', 'StatefulSet', 'DaemonSet', 'Job'])

const stuckIndex: Index<Pod> = {
  name: 'gitops-stuck',
  kind: Pod,
  values: (pod) => (stuckText(pod) === undefined ? [] : ownersOf(pod)),
}

const ownersOf = ({ metadata }: Pod): readonly string[] => (metadata.ownerReferences ?? []).map(({ uid }) => uid)

/** What keeps a pod from running; undefined for the many that run or are on their way. */
function stuckText(pod: Pod): string | undefined {
  const { phase, containerStatuses = [], initContainerStatuses = [] } = pod.status ?? {}
  if (phase !== 'Failed' && ![...initContainerStatuses, ...containerStatuses].some(isTroubled)) return undefined
  const verdict = healthOf(pod as unknown as AnyObject)
  return verdict?.status === 'Degraded' ? (verdict.message ?? verdict.proof.rule) : undefined
}

const isTroubled = ({ state, lastState }: ContainerStatus): boolean =>
  state?.waiting !== undefined || lastState?.terminated !== undefined

/** The workloads that applications wait for, by what owns their pods. */
export class StuckPods {
  readonly #waiting = new Map<string, string>()
  readonly #owners = new Map<string, readonly string[]>()

  /** From now on an application waits for these alone. */
  await(key: string, owners: readonly string[]): void {
    for (const uid of this.#owners.get(key) ?? []) this.#waiting.delete(uid)
    if (owners.length === 0) this.#owners.delete(key)
    else this.#owners.set(key, owners)
    for (const uid of owners) this.#waiting.set(uid, key)
  }

  /** The application that a change of a pod is news for. */
  concerned(pod: Pod, old: Pod | undefined): readonly string[] {
    if (this.#waiting.size === 0 || pod.status === old?.status) return []
    const key = ownersOf(pod).flatMap((uid) => this.#waiting.get(uid) ?? [])[0]
    if (key === undefined) return []
    return stuckText(pod) === (old === undefined ? undefined : stuckText(old)) ? [] : [key]
  }
}

export interface Explaining {
  readonly healthOf: HealthOf
  /** Owners of the pods of everything that was found to be on its way. */
  readonly owners: readonly string[]
}

/** The same health, with what keeps the pods of a workload from running in the message of one that is on its way. */
export function explaining(healthOf: HealthOf, cache: Cache): Explaining {
  const owners: string[] = []
  const explain = (object: AnyObject, verdict: Verdict | undefined): Verdict | undefined => {
    if (verdict?.status !== 'Progressing' || !withPods.has(object.kind)) return verdict
    const own = ownersIn(object, cache)
    owners.push(...own)
    const text = causeText(own.flatMap((uid) => cache.by(stuckIndex, uid)))
    return text === undefined ? verdict : { ...verdict, message: [verdict.message, text].filter(Boolean).join(' ') }
  }
  return {
    owners,
    healthOf(object) {
      const verdict = healthOf(object)
      return verdict instanceof Promise ? verdict.then((known) => explain(object, known)) : explain(object, verdict)
    },
  }
}

function ownersIn({ kind, metadata: { uid = '' } }: AnyObject, cache: Cache): readonly string[] {
  if (kind !== 'Deployment') return [uid]
  return cache.ownedBy(ReplicaSet, uid).map(({ metadata }) => metadata.uid ?? '')
}

/** `pod web-5d7f: back-off 10s restarting failed container …`, of the first by name. */
function causeText(pods: readonly Pod[]): string | undefined {
  const [first, ...more] = [...pods].sort((a, b) => ((a.metadata.name ?? '') < (b.metadata.name ?? '') ? -1 : 1))
  if (first === undefined) return undefined
  const others = more.length === 0 ? '' : ` (and ${more.length} more)`
  return `Pod ${first.metadata.name}: ${stuckText(first) ?? ''}${others}`
}
