// What a pod asks for, and what a node offers, in whole numbers: thousandths of a CPU, bytes, counts. Scheduler and
// kubelet count in these. Rules of k8s.io/component-helpers/resource; results are kept by reference of the spec.

import { type QuantityText, quantityMilliValue, quantityValue } from '#objects'
import type { Container, PodSpec, ResourceRequirements } from '../generated/types.ts'
import { rememberedByContainers } from './remembered.ts'

/** Amounts by resource name; CPU in thousandths, all else in units. */
export type Amounts = ReadonlyMap<string, number>

export interface PodRequests {
  readonly milliCpu: number
  readonly memory: number
  readonly ephemeralStorage: number
  /** Everything else (`nvidia.com/gpu`, `hugepages-2Mi`). */
  readonly extended: Amounts
  /** As `milliCpu` and `memory`, but a container that asks for nothing counts as 100m and 200 MiB: for scores only. */
  readonly scoredMilliCpu: number
  readonly scoredMemory: number
}

const defaultMilliCpu = 100
const defaultMemory = 200 * 1024 * 1024
const none: Amounts = new Map()

const known = new Map<string, number>()
const cacheLimit = 5000

/** The number that a quantity of this resource counts as. */
export function amountOf(resource: string, quantity: QuantityText): number {
  const key = resource === 'cpu' ? `c${quantity}` : `v${quantity}`
  const found = known.get(key)
  if (found !== undefined) return found
  const amount = resource === 'cpu' ? quantityMilliValue(quantity) : quantityValue(quantity)
  if (known.size >= cacheLimit) known.clear()
  known.set(key, amount)
  return amount
}

const knownLists = new WeakMap<object, Amounts>()

export function amountsOf(list: Readonly<Record<string, QuantityText>> | undefined): Amounts {
  if (list === undefined) return none
  const found = knownLists.get(list)
  if (found !== undefined) return found
  const amounts = new Map<string, number>()
  for (const name in list) amounts.set(name, amountOf(name, list[name] ?? 0))
  knownLists.set(list, amounts)
  return amounts
}

type Totals = Map<string, number>

function add(totals: Totals, amounts: Amounts): void {
  for (const [name, amount] of amounts) totals.set(name, (totals.get(name) ?? 0) + amount)
}

function raise(totals: Totals, amounts: Amounts): void {
  for (const [name, amount] of amounts) if (amount > (totals.get(name) ?? 0)) totals.set(name, amount)
}

export const isSidecar = (container: { readonly restartPolicy?: string }): boolean =>
  container.restartPolicy === 'Always'

type AmountsOfContainer = (resources: ResourceRequirements | undefined) => Amounts

const plainRequests: AmountsOfContainer = (resources) => amountsOf(resources?.requests)

const scoredRequests: AmountsOfContainer = (resources) =>
  new Map<string, number>([['cpu', defaultMilliCpu], ['memory', defaultMemory], ...amountsOf(resources?.requests)])

/** Containers run together; init containers one by one, beside the sidecars that were started before them. */
function total(spec: PodSpec, of: AmountsOfContainer): Totals {
  const totals: Totals = new Map()
  for (const container of spec.containers) add(totals, of(container.resources))
  if (spec.initContainers !== undefined && spec.initContainers.length > 0) addInit(totals, spec.initContainers, of)
  for (const [name, amount] of amountsOf(spec.resources?.requests)) totals.set(name, amount)
  add(totals, amountsOf(spec.overhead))
  return totals
}

function addInit(totals: Totals, containers: readonly Container[], of: AmountsOfContainer): void {
  const sidecars: Totals = new Map()
  const peak: Totals = new Map()
  for (const container of containers) {
    const own = of(container.resources)
    if (isSidecar(container)) {
      add(sidecars, own)
      add(totals, own)
      raise(peak, sidecars)
    } else {
      const beside: Totals = new Map(sidecars)
      add(beside, own)
      raise(peak, beside)
    }
  }
  raise(totals, peak)
}

const separate = new Set(['cpu', 'memory', 'ephemeral-storage'])

/** What the whole pod requests. */
export const podRequests = rememberedByContainers((spec): PodRequests => {
  const totals = total(spec, plainRequests)
  const scored = total(spec, scoredRequests)
  const extended = [...totals].filter(([name]) => !separate.has(name))
  return {
    milliCpu: totals.get('cpu') ?? 0,
    memory: totals.get('memory') ?? 0,
    ephemeralStorage: totals.get('ephemeral-storage') ?? 0,
    extended: extended.length === 0 ? none : new Map(extended),
    scoredMilliCpu: scored.get('cpu') ?? 0,
    scoredMemory: scored.get('memory') ?? 0,
  }
})
