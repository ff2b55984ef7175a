// Endpoints hold only what they should: addresses of pods that the controller saw when its reconcile began, ready only where
// it saw them ready. When all has come to rest they are exactly the pods that their Service selects.

import { type EndpointSlice, Pod, type Service } from '#kinds'
import type { AnyObject } from '#objects'
import type { Reconcile, Write } from '../../support/observer.ts'
import { as, type Invariant, idOf } from './invariant.ts'

/** By the name of the pod. */
type Sight = ReadonlyMap<string, Pod>

const slices = 'endpointslices.discovery.k8s.io'

const isReady = ({ status }: Pod): boolean =>
  status?.conditions?.some((one) => one.type === 'Ready' && one.status === 'True') === true

const isOver = ({ status }: Pod): boolean => status?.phase === 'Succeeded' || status?.phase === 'Failed'

function selected(pods: readonly Pod[], selector: Readonly<Record<string, string>>): readonly Pod[] {
  return pods.filter(({ metadata }) =>
    Object.entries(selector).every(([key, value]) => metadata.labels?.[key] === value),
  )
}

export const endpoints: Invariant = {
  name: 'endpoints',
  watch: ({ fail, store }) => {
    const sights = new WeakMap<Reconcile, Sight>()
    const wrote = (write: Write): void => {
      const sight = write.by?.loop === 'endpointslice' ? sights.get(write.by) : undefined
      const slice = as<EndpointSlice>(write.after)
      if (sight === undefined || slice === undefined) return
      for (const { targetRef, conditions, addresses } of slice.endpoints ?? []) {
        const pod = sight.get(targetRef?.name ?? '')
        const what = `${idOf(write)} holds ${targetRef?.name}`
        const about = [idOf(write), `pods/${targetRef?.namespace}/${targetRef?.name}`]
        if (pod === undefined || pod.metadata.uid !== targetRef?.uid) fail(`${what}, which is not there`, ...about)
        else if (isOver(pod)) fail(`${what}, which has ended`, ...about)
        else if (!addresses.every((address) => pod.status?.podIPs?.some(({ ip }) => ip === address)))
          fail(`${what} at ${addresses.join(', ')}, which are not its addresses`, ...about)
        else if (conditions?.ready === true && !isReady(pod)) fail(`${what} as ready, which is not`, ...about)
        else if (conditions?.ready === true && pod.metadata.deletionTimestamp !== undefined)
          fail(`${what} as ready, which is ending`, ...about)
      }
    }
    const endOf = ({ value }: { readonly value: AnyObject }, all: readonly Pod[]): void => {
      const { metadata, spec } = value as unknown as Service
      const { selector } = spec ?? {}
      if (selector === undefined || spec?.publishNotReadyAddresses === true || spec?.type === 'ExternalName') return
      const there = selected(
        all.filter((pod) => pod.metadata.namespace === metadata.namespace),
        selector,
      )
      const wanted = there.filter((pod) => isReady(pod) && !isOver(pod)).map((pod) => pod.metadata.name)
      const held = store
        .list(slices, { prefix: `${metadata.namespace}/` })
        .entries.map((entry) => entry.value as unknown as EndpointSlice)
        .filter((slice) => slice.metadata.labels?.['kubernetes.io/service-name'] === metadata.name)
        .flatMap((slice) => slice.endpoints ?? [])
        .filter(({ conditions }) => conditions?.ready === true)
        .map(({ targetRef }) => targetRef?.name)
      if (wanted.sort().join() !== held.sort().join())
        fail(
          `service ${metadata.namespace}/${metadata.name} leads to ${held.join(', ') || 'nothing'}, ready are ${wanted.join(', ') || 'none'}`,
          `services/${metadata.namespace}/${metadata.name}`,
        )
    }
    return {
      begins: {
        endpointslice(reconcile) {
          const [namespace] = reconcile.key.split('/')
          const pods = reconcile.cache.list(Pod, namespace)
          sights.set(reconcile, new Map(pods.map((pod) => [pod.metadata.name ?? '', pod])))
        },
      },
      wrote: { [slices]: wrote },
      atEnd() {
        const all = store.list('pods').entries.map(({ value }) => value as unknown as Pod)
        for (const entry of store.list('services').entries) endOf(entry, all)
      },
    }
  },
}
