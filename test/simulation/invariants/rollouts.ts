// A rolling update keeps to maxSurge and maxUnavailable. The controller is judged by what it saw when its reconcile began:
// with each write the sizes of the ReplicaSets may not grow above replicas + maxSurge, nor may what is available (as the
// ReplicaSets said) shrink below replicas - maxUnavailable.

import { Deployment, ReplicaSet } from '#kinds'
import type { Reconcile, Write } from '../../support/observer.ts'
import { as, type Invariant, idOf } from './invariant.ts'
import { rollingLimits } from './limits.ts'

interface Sight {
  readonly deployment: Deployment
  /** The Deployment itself was scaled: all its ReplicaSets are, in proportion, whichever of them are available. */
  readonly isScaled: boolean
  readonly sizes: Map<string, Size>
}

interface Size {
  readonly replicas: number
  readonly available: number
}

const sizeOf = ({ spec, status }: ReplicaSet): Size => ({
  replicas: spec.replicas ?? 1,
  available: status?.availableReplicas ?? 0,
})

function sightOf({ key, cache }: Reconcile): Sight | undefined {
  const deployment = cache.get(Deployment, key)
  if (deployment === undefined) return undefined
  const sets = cache.ownedBy(ReplicaSet, deployment.metadata.uid ?? '')
  const replicas = String(deployment.spec.replicas ?? 1)
  const isScaled = sets.some(
    ({ metadata, spec }) =>
      (spec.replicas ?? 0) > 0 &&
      (metadata.annotations?.['deployment.kubernetes.io/desired-replicas'] ?? replicas) !== replicas,
  )
  return { deployment, isScaled, sizes: new Map(sets.map((set) => [set.metadata.name ?? '', sizeOf(set)])) }
}

function sums({ sizes }: Sight): Size {
  let [replicas, available] = [0, 0]
  for (const size of sizes.values()) {
    replicas += size.replicas
    available += size.available
  }
  return { replicas, available }
}

/** Of a ReplicaSet that shrinks, what is not available goes first. (What its status says may lag behind its size.) */
function resized({ replicas, available }: Size, now: number): Size {
  const unavailable = Math.max(0, replicas - available)
  return { replicas: now, available: available - Math.max(0, replicas - now - unavailable) }
}

const none: Size = { replicas: 0, available: 0 }

export const rollouts: Invariant = {
  name: 'rollouts',
  watch: ({ fail }) => {
    const sights = new WeakMap<Reconcile, Sight>()
    const wrote = (write: Write): void => {
      const sight = write.by?.loop === 'deployment' ? sights.get(write.by) : undefined
      if (sight === undefined) return
      const before = sums(sight)
      const after = as<ReplicaSet>(write.after)
      const name = (after ?? as<ReplicaSet>(write.before))?.metadata.name ?? ''
      if (after === undefined) sight.sizes.delete(name)
      else sight.sizes.set(name, resized(sight.sizes.get(name) ?? none, sizeOf(after).replicas))
      const { spec } = sight.deployment
      const limits = rollingLimits(spec.replicas ?? 1, spec.strategy?.rollingUpdate)
      if (spec.strategy?.type === 'Recreate') return
      const now = sums(sight)
      const who = `${idOf(write)} is set to ${after?.spec.replicas ?? 0}`
      if (now.replicas > before.replicas && now.replicas > limits.most)
        fail(`${who}: ${now.replicas} pods where ${limits.most} are allowed`, idOf(write), deploymentId(sight))
      if (!sight.isScaled && now.available < before.available && now.available < limits.least)
        fail(`${who}: ${now.available} available where ${limits.least} must be`, idOf(write), deploymentId(sight))
    }
    return {
      begins: {
        deployment(reconcile) {
          const sight = sightOf(reconcile)
          if (sight !== undefined) sights.set(reconcile, sight)
        },
      },
      wrote: { 'replicasets.apps': wrote },
    }
  },
}

const deploymentId = ({ deployment: { metadata } }: Sight): string =>
  `deployments.apps/${metadata.namespace}/${metadata.name}`
