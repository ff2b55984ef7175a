// What a pod uses of quotas: itself, and what its containers (or it as a whole) request and are limited to. Pure.

import { addQuantity, compareQuantity, parseTime, type QuantityText } from '#objects'
import type { Container, Pod, PodSpec } from '../generated/types.ts'

export type Amounts = Readonly<Record<string, QuantityText>>

const basic = ['cpu', 'memory', 'ephemeral-storage']

/** Pods that are over use nothing but their place in the list of pods. */
export function podUsage(pod: Pod, now: number): Amounts {
  if (isOver(pod, now)) return {}
  const usage: Record<string, QuantityText> = { pods: 1 }
  for (const [name, amount] of Object.entries(podTotal(pod.spec, 'requests'))) {
    usage[`requests.${name}`] = amount
    if (basic.includes(name) || name.startsWith('hugepages-')) usage[name] = amount
  }
  for (const [name, amount] of Object.entries(podTotal(pod.spec, 'limits')))
    if (basic.includes(name)) usage[`limits.${name}`] = amount
  return usage
}

/** Finished, or deleted for so long that it should be gone, wherever its node is: a user does not pay for lost nodes. */
function isOver({ status, metadata }: Pod, now: number): boolean {
  if (status?.phase === 'Succeeded' || status?.phase === 'Failed') return true
  const deletedAt = parseTime(metadata.deletionTimestamp)
  const { deletionGracePeriodSeconds: seconds } = metadata
  return deletedAt !== undefined && seconds !== undefined && now > deletedAt + seconds * 1000
}

type Totals = Record<string, QuantityText>
type ListName = 'requests' | 'limits'

/** Containers run together; init containers one by one, beside the sidecars that were started before them. */
function podTotal(spec: PodSpec, list: ListName): Amounts {
  const sum: Totals = {}
  for (const container of spec.containers ?? []) add(sum, amountsOf(container, list))
  const sidecars: Totals = {}
  const peak: Totals = {}
  for (const container of spec.initContainers ?? []) {
    const own = amountsOf(container, list)
    const beside = { ...sidecars }
    add(beside, own)
    if (container.restartPolicy === 'Always') {
      add(sum, own)
      add(sidecars, own)
    }
    raise(peak, beside)
  }
  raise(sum, peak)
  Object.assign(sum, spec.resources?.[list])
  for (const [name, amount] of Object.entries(spec.overhead ?? {}))
    if (list === 'requests' || sum[name] !== undefined) add(sum, { [name]: amount })
  return sum
}

function add(totals: Totals, amounts: Amounts): void {
  for (const [name, amount] of Object.entries(amounts)) totals[name] = addQuantity(totals[name] ?? 0, amount)
}

function raise(totals: Totals, amounts: Amounts): void {
  for (const [name, amount] of Object.entries(amounts))
    if (compareQuantity(amount, totals[name] ?? 0) > 0) totals[name] = amount
}

const amountsOf = ({ resources }: Container, list: ListName): Amounts => resources?.[list] ?? {}

const explicit = ['cpu', 'memory', 'requests.cpu', 'requests.memory', 'limits.cpu', 'limits.memory']

/** Why a pod cannot be measured by a quota: containers that don't say what they need of what is limited. */
export function unmeasured({ spec }: Pod, limited: readonly string[]): string | undefined {
  if (Object.keys({ ...spec.resources?.requests, ...spec.resources?.limits }).length > 0) return undefined
  const missing = new Map<string, string[]>()
  for (const container of [...(spec.containers ?? []), ...(spec.initContainers ?? [])]) {
    for (const name of limited.filter((one) => explicit.includes(one))) {
      const [list, resource] = name.startsWith('limits.')
        ? (['limits', name.slice(7)] as const)
        : (['requests', name.replace('requests.', '')] as const)
      if (container.resources?.[list]?.[resource] === undefined)
        missing.set(name, [...(missing.get(name) ?? []), container.name])
    }
  }
  if (missing.size === 0) return undefined
  const texts = [...missing]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([name, containers]) => `${name} for: ${containers.sort().join(',')}`)
  return `must specify ${texts.join('; ')}`
}
