// No pod is bound to a node that is absent, cordoned, full or tainted in a way that it does not tolerate. The scheduler is judged by what it could know: its cache when
// it looked at the pod, and what it has bound itself since it began.

import { Node, Pod, type Taint } from '#kinds'
import { quantityMilliValue } from '#objects'
import type { Cache } from '#reconcile'
import type { Reconcile, Write } from '../../support/observer.ts'
import { as, type Invariant, idOf } from './invariant.ts'

const isOver = (pod: Pod): boolean => pod.status?.phase === 'Succeeded' || pod.status?.phase === 'Failed'

export const nodes: Invariant = {
  name: 'nodes',
  watch: ({ fail, store }) => {
    /** Bound pods that take room, by node. */
    const residents = new Map<string, Map<string, Pod>>()
    /** Who bound them: a scheduler that begins anew knows only its cache. */
    const boundBy = new Map<string, Cache>()
    const sights = new WeakMap<Reconcile, readonly Node[]>()
    const settle = ({ key, before, after }: Write): void => {
      const [old, now] = [as<Pod>(before), as<Pod>(after)]
      if (old?.spec.nodeName !== undefined && now === undefined) residents.get(old.spec.nodeName)?.delete(key)
      const node = now?.spec.nodeName
      if (now === undefined || node === undefined) return
      const there = residents.get(node) ?? new Map<string, Pod>()
      residents.set(node, there)
      if (isOver(now)) there.delete(key)
      else there.set(key, now)
    }
    const bound = (write: Write, pod: Pod): void => {
      const { by, key } = write
      if (by?.loop !== 'scheduler') return
      boundBy.set(pod.metadata.uid ?? '', by.cache)
      const name = pod.spec.nodeName ?? ''
      const node = sights.get(by)?.find(({ metadata }) => metadata.name === name)
      if (node === undefined) {
        fail(`${key} is bound to ${name}, which is not there`, idOf(write), `nodes/${name}`)
        return
      }
      if (node.spec?.unschedulable === true && !tolerates(pod, cordon))
        fail(`${key} is bound to ${name}, which is cordoned`, idOf(write), `nodes/${name}`)
      for (const taint of node.spec?.taints ?? [])
        if (taint.effect !== 'PreferNoSchedule' && !tolerates(pod, taint))
          fail(`${key} is bound to ${name}, which has the taint ${taint.key}`, idOf(write), `nodes/${name}`)
      const known = [...(residents.get(name)?.values() ?? [])].filter(
        (one) =>
          one !== pod &&
          (boundBy.get(one.metadata.uid ?? '') === by.cache ||
            by.cache.get(Pod, `${one.metadata.namespace}/${one.metadata.name}`)?.spec.nodeName === name),
      )
      const overfull = excess(node, [...known, pod])
      if (overfull !== undefined) fail(`${key} is bound to ${name}, which has no room: ${overfull}`, idOf(write))
    }
    return {
      begins: { scheduler: (reconcile) => void sights.set(reconcile, reconcile.cache.list(Node)) },
      wrote: {
        pods(write) {
          settle(write)
          const [before, after] = [as<Pod>(write.before), as<Pod>(write.after)]
          if (after?.spec.nodeName !== undefined && before !== undefined && before.spec.nodeName === undefined)
            bound(write, after)
        },
      },
      atEnd() {
        for (const [name, there] of residents)
          if (there.size > 0 && store.get('nodes', name) === undefined)
            fail(`${[...there.keys()].join(', ')} left on ${name}, which is gone`)
      },
    }
  },
}

const cordon: Taint = { key: 'node.kubernetes.io/unschedulable', effect: 'NoSchedule' }

const tolerates = ({ spec }: Pod, taint: Taint): boolean =>
  (spec.tolerations ?? []).some(
    ({ key = '', operator, value = '', effect = '' }) =>
      (key === '' || key === taint.key) &&
      (effect === '' || effect === taint.effect) &&
      (operator === 'Exists' || value === (taint.value ?? '')),
  )

/** The first resource of which the pods ask for more than the node has. */
function excess({ status }: Node, pods: readonly Pod[]): string | undefined {
  const allocatable = status?.allocatable ?? {}
  const room = Number(allocatable['pods'] ?? Number.POSITIVE_INFINITY)
  if (pods.length > room) return `${pods.length} pods, room for ${room}`
  for (const resource of ['cpu', 'memory'] as const) {
    const asked = pods.reduce((sum, pod) => sum + requestOf(pod, resource), 0)
    const has = amount(allocatable[resource])
    if (asked > has) return `${asked} ${resource} asked, ${allocatable[resource]} there`
  }
  return undefined
}

const requestOf = ({ spec }: Pod, resource: string): number =>
  spec.containers.reduce((sum, { resources }) => sum + amount(resources?.requests?.[resource]), 0)

const amount = (text: string | number | undefined): number => (text === undefined ? 0 : quantityMilliValue(text))
