// A Deployment changes the sizes of its ReplicaSets as it promises. The controller is judged by what it saw when its reconcile
// began. In a rolling update the sizes may not grow above replicas + maxSurge, nor may what is available (as the ReplicaSets
// said) shrink below replicas - maxUnavailable; Recreate starts nothing before all is gone.
//
// While the Deployment itself is resized in the middle of a rollout, Kubernetes promises less: it shares the change among the
// ReplicaSets in proportion to their sizes, whichever of their pods are available, so that nobody holds to maxUnavailable
// there. But each ReplicaSet gets no more and no less than its share, the sum is what replicas + maxSurge allow, and each
// takes down for which size that was: with the next reconcile all limits hold again.

import { Deployment, Pod, ReplicaSet } from '#kinds'
import type { Reconcile, Write } from '../../support/observer.ts'
import { as, controllerOf, type Invariant, idOf } from './invariant.ts'
import { isRecreate, limitsOf, type Plan, planOf, type SeenSet, seenSets, wantedOf } from './rollout-sight.ts'

interface Size {
  readonly replicas: number
  readonly available: number
}

interface Sight {
  readonly deployment: Deployment
  readonly found: readonly ReplicaSet[]
  readonly sets: readonly SeenSet[]
  readonly plan: Plan
  readonly sizes: Map<string, Size>
  /** Whose size was changed in this reconcile. */
  readonly resized: Set<string>
}

interface Resize {
  readonly name: string
  readonly from: number
  readonly to: number
  readonly before: Size
  readonly now: Size
}

const isOver = ({ status }: Pod): boolean => status?.phase === 'Succeeded' || status?.phase === 'Failed'

function sightOf({ cache }: Reconcile, deployment: Deployment, found: readonly ReplicaSet[]): Sight {
  const runs = ({ metadata }: ReplicaSet): boolean => cache.ownedBy(Pod, metadata.uid ?? '').some((pod) => !isOver(pod))
  const sets = seenSets(deployment, found, runs)
  // A status may lag behind: Kubernetes believes the newest, and of old ones no more than there may be.
  const sizes = sets.map(
    ({ name, replicas, available, isNewest }) =>
      [name, { replicas, available: isNewest ? available : Math.min(replicas, available) }] as const,
  )
  return { deployment, found, sets, plan: planOf(deployment, sets), sizes: new Map(sizes), resized: new Set() }
}

function sums({ sizes }: Sight): Size {
  let [replicas, available] = [0, 0]
  for (const size of sizes.values()) {
    replicas += size.replicas
    available += size.available
  }
  return { replicas, available }
}

const none: Size = { replicas: 0, available: 0 }

/** What is not available goes first. */
function resize(sight: Sight, name: string, to: number): Resize {
  const before = sums(sight)
  const old = sight.sizes.get(name) ?? none
  sight.sizes.set(name, { replicas: to, available: Math.min(old.available, to) })
  return { name, from: old.replicas, to, before, now: sums(sight) }
}

/** What is wrong with a change of size, if anything. */
function wrongWith(sight: Sight, change: Resize): string | undefined {
  const { plan, deployment } = sight
  const { from, to, before, now, name } = change
  if (to < 0) return 'fewer than none'
  const limits = limitsOf(deployment)
  // Who has too many to begin with (an old set was not seen when the newest was made) may still give a set its share, even
  // where that is more than it has: Kubernetes takes the larger of that and what is to go.
  const isShare = plan.way === 'in proportion' && before.replicas > limits.most
  if (!isRecreate(deployment) && !isShare && now.replicas > before.replicas && now.replicas > limits.most)
    return `${now.replicas} pods where ${limits.most} are allowed`
  if (plan.way === 'nothing') return 'nothing is to be resized'
  if (plan.way === 'exactly') {
    const size = plan.sizes.get(name)
    if (size !== to) return size === undefined ? `it stays at ${from}` : `${size} are wanted`
  }
  if (plan.way === 'in proportion') return wrongShare(plan, change)
  if (plan.way === 'rollout' && plan.isRecreate) return wrongRecreation(sight, change)
  if (!isRecreate(deployment) && now.available < before.available && now.available < limits.least)
    return `${now.available} available where ${limits.least} must be`
  return plan.way === 'rollout' ? wrongStep(sight, change, limits.least) : undefined
}

/** A share is never overstepped. The largest also takes what rounding leaves over, so that the sum is what is allowed. */
function wrongShare(
  { shares, allowed }: Extract<Plan, { readonly way: 'in proportion' }>,
  { name, to, from }: Resize,
): string | undefined {
  const share = shares.get(name)
  if (share === undefined) return `it has no share: it stays at ${from}`
  const isBetween = (size: number, a: number, b: number): boolean => size >= Math.min(a, b) && size <= Math.max(a, b)
  if (isBetween(to, share.before, share.size)) return undefined
  let [fewest, most] = [0, 0]
  for (const [other, { before, size }] of shares) {
    if (other === name) continue
    fewest += Math.min(before, size)
    most += Math.max(before, size)
  }
  const isRest = isBetween(to, Math.max(0, allowed - most), Math.max(0, allowed - fewest))
  return share.mayTakeRest && isRest ? undefined : `its share is ${share.size}`
}

/** The one that was not there when the reconcile began: made in it. */
const unknownOf = ({ sets, sizes }: Pick<Sight, 'sets' | 'sizes'>): string | undefined =>
  [...sizes.keys()].find((one) => !sets.some((set) => set.name === one))

function wrongRecreation({ sets, sizes, deployment, plan }: Sight, { name, to }: Resize): string | undefined {
  const isNewest = plan.way === 'rollout' && (plan.newest ?? unknownOf({ sets, sizes })) === name
  const wanted = isNewest ? wantedOf(deployment) : 0
  if (to !== wanted) return `${wanted} are wanted`
  if (!isNewest) return undefined
  const left = sets.find((set) => set.name !== name && (set.isAtWork || (sizes.get(set.name)?.replicas ?? 0) > 0))
  return left === undefined ? undefined : `${left.name} is not gone yet`
}

/** The newest grows as far as the surge allows; only when it can't, old ones shrink, first by what is not available. */
function wrongStep(sight: Sight, { name, from, to, now }: Resize, least: number): string | undefined {
  const { deployment, plan, sets, resized, sizes } = sight
  const wanted = wantedOf(deployment)
  const known = plan.way === 'rollout' ? plan.newest : undefined
  const newest = known ?? unknownOf(sight)
  if (name === newest) {
    if (from > wanted && to !== wanted) return `${wanted} are wanted`
    if (from <= wanted && (to < from || to > wanted)) return `it grows to at most ${wanted}`
    return resized.size > 0 ? 'one step was made already' : undefined
  }
  if (to > from) return 'an old one does not grow'
  if (known !== undefined && resized.has(known)) return 'one step was made already'
  const latest = sets.find((set) => set.name === newest)
  const size = sizes.get(newest ?? '')?.replicas ?? 0
  // Negative where the status is behind the size: the newest is believed.
  const unavailable = size - (latest?.available ?? 0)
  if (now.replicas < least + unavailable)
    return `${now.replicas} pods, of which ${Math.max(0, unavailable)} new ones are not available, where ${least} must be`
  // By a status that claims more available pods than there may be, Kubernetes takes none that are available.
  const old = sets.filter((set) => set.name !== newest && set.replicas > 0)
  const seen = old.find((set) => set.name === name)
  const behind = old.find((set) => set.available > set.replicas)
  if (behind !== undefined && seen !== undefined && seen.replicas - to > Math.max(0, seen.replicas - seen.available))
    return `the status of ${behind.name} is behind`
  return undefined
}

export const rollouts: Invariant = {
  name: 'rollouts',
  watch: ({ fail }) => {
    const sights = new WeakMap<Reconcile, Sight>()
    const wrote = (write: Write): void => {
      const sight = write.by?.loop === 'deployment' ? sights.get(write.by) : undefined
      if (sight === undefined || write.by === undefined) return
      const [before, after] = [as<ReplicaSet>(write.before), as<ReplicaSet>(write.after)]
      const name = (after ?? before)?.metadata.name ?? ''
      if (after === undefined) {
        forgotten(write, sight, name)
        return
      }
      const isOwn = controllerOf(write.after)?.uid === sight.deployment.metadata.uid
      if (before !== undefined && isOwn !== (controllerOf(write.before)?.uid === sight.deployment.metadata.uid)) {
        claimed(write.by, sight, after, isOwn)
        return
      }
      const change = resize(sight, name, after.spec.replicas ?? 1)
      if (change.from === change.to) return
      const who = `${idOf(write)} is set to ${change.to}`
      const wrong = wrongWith(sight, change)
      if (wrong !== undefined) fail(`${who}: ${wrong}`, idOf(write), deploymentId(sight))
      const { way } = sight.plan
      const wanted = String(wantedOf(sight.deployment))
      if (way !== 'rollout' && after.metadata.annotations?.['deployment.kubernetes.io/desired-replicas'] !== wanted)
        fail(`${who}, and does not say for which size of its Deployment`, idOf(write), deploymentId(sight))
      // A ReplicaSet that did not exist is made and the first old ones shrink in one step.
      if (before !== undefined) sight.resized.add(name)
    }
    /** Adopted, or let go: what the controller sees has changed. */
    const claimed = (by: Reconcile, sight: Sight, set: ReplicaSet, isOwn: boolean): void => {
      const others = sight.found.filter(({ metadata }) => metadata.uid !== set.metadata.uid)
      sights.set(by, sightOf(by, sight.deployment, isOwn ? [...others, set] : others))
    }
    const forgotten = (write: Write, sight: Sight, name: string): void => {
      const seen = sight.sets.find((set) => set.name === name)
      if (seen === undefined || seen.replicas > 0)
        fail(`${idOf(write)} is forgotten, and is of size ${seen?.replicas}`, idOf(write), deploymentId(sight))
      sight.sizes.delete(name)
    }
    return {
      begins: {
        deployment(reconcile) {
          const deployment = reconcile.cache.get(Deployment, reconcile.key)
          if (deployment === undefined) return
          const own = reconcile.cache.ownedBy(ReplicaSet, deployment.metadata.uid ?? '')
          sights.set(reconcile, sightOf(reconcile, deployment, own))
        },
      },
      wrote: { 'replicasets.apps': wrote },
    }
  },
}

const deploymentId = ({ deployment: { metadata } }: Sight): string =>
  `deployments.apps/${metadata.namespace}/${metadata.name}`
