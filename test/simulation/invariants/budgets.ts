// An eviction never breaks a budget: it takes a healthy pod only where the budget's status allowed one, and takes one from
// what is allowed in the same breath; and between two looks of the controller no more pods are evicted than it allowed. A pod
// that runs and is not ready costs nothing only where enough others are healthy, or the budget says so.

import type { Pod, PodDisruptionBudget } from '#kinds'
import { type LabelSelector, matchesLabels } from '#objects'
import type { Write } from '../../support/observer.ts'
import { as, type Invariant, idOf } from './invariant.ts'

const budgetsBucket = 'poddisruptionbudgets.policy'

interface Leave {
  readonly budget: PodDisruptionBudget
  /** Evictions allowed by the server since the controller's last word, and what that word was. */
  taken: number
  readonly allowed: number
}

export const budgets: Invariant = {
  name: 'budgets',
  watch: ({ fail, store }) => {
    const leaves = new Map<string, Leave>()
    const budgetWrote = (write: Write): void => {
      const budget = as<PodDisruptionBudget>(write.after)
      if (budget === undefined) {
        leaves.delete(write.key)
        return
      }
      const allowed = budget.status?.disruptionsAllowed ?? 0
      if (allowed < 0) fail(`${idOf(write)} allows ${allowed} disruptions`, idOf(write))
      const before = leaves.get(write.key)
      if (write.by?.loop === 'disruption' || before === undefined) leaves.set(write.key, { budget, taken: 0, allowed })
      else if (write.request?.subresource === 'eviction')
        leaves.set(write.key, { ...before, budget, taken: before.taken + 1 })
      else leaves.set(write.key, { ...before, budget })
      const left = leaves.get(write.key)
      if (left !== undefined && left.taken > left.allowed)
        fail(`${idOf(write)}: ${left.taken} evictions where ${left.allowed} were allowed`, idOf(write))
    }
    const podWrote = (write: Write): void => {
      const pod = as<Pod>(write.before)
      if (write.request?.subresource !== 'eviction' || pod === undefined || pod.status?.phase !== 'Running') return
      if (pod.metadata.deletionTimestamp !== undefined || write.after?.metadata.deletionTimestamp === undefined) return
      const { namespace, name = '' } = pod.metadata
      for (const { value, key } of store.list(budgetsBucket, { prefix: `${namespace}/` }).entries) {
        const budget = value as unknown as PodDisruptionBudget
        const { spec, status } = budget
        if (!matchesLabels(spec?.selector as LabelSelector, pod.metadata.labels)) continue
        if (!isReady(pod) && mayGoUnready(budget)) continue
        if (status?.disruptedPods?.[name] === undefined)
          fail(`${idOf(write)} is evicted, and ${key} knows nothing of it`, idOf(write), `${budgetsBucket}/${key}`)
      }
    }
    return { wrote: { [budgetsBucket]: budgetWrote, pods: podWrote } }
  },
}

const isReady = ({ status }: Pod): boolean =>
  status?.conditions?.some((one) => one.type === 'Ready' && one.status === 'True') === true

const mayGoUnready = ({ spec, status }: PodDisruptionBudget): boolean =>
  spec?.unhealthyPodEvictionPolicy === 'AlwaysAllow' ||
  (status !== undefined && status.desiredHealthy > 0 && status.currentHealthy >= status.desiredHealthy)
