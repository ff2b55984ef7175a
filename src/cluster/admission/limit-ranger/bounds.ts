// Whether requests and limits lie within the bounds of one entry of a LimitRange, in the plug-in's own words. Pure.

import type { Container, LimitRangeItem, PodSpec } from '#kinds'
import { addQuantity, compareQuantity, type QuantityText, quantityMilliValue } from '#objects'

export type Amounts = Readonly<Record<string, QuantityText>>

export function boundFaults(type: string, item: LimitRangeItem, requests: Amounts, limits: Amounts): readonly string[] {
  return [
    ...Object.entries(item.min ?? {}).flatMap(([name, min]) =>
      minFaults(type, name, min, requests[name], limits[name]),
    ),
    ...Object.entries(item.max ?? {}).flatMap(([name, max]) =>
      maxFaults(type, name, max, requests[name], limits[name]),
    ),
    ...Object.entries(item.maxLimitRequestRatio ?? {}).flatMap(([name, ratio]) =>
      ratioFaults(type, name, ratio, requests[name], limits[name]),
    ),
  ]
}

function minFaults(
  type: string,
  name: string,
  min: QuantityText,
  request?: QuantityText,
  limit?: QuantityText,
): readonly string[] {
  if (request === undefined) return [`minimum ${name} usage per ${type} is ${min}.  No request is specified`]
  if (compareQuantity(request, min) < 0)
    return [`minimum ${name} usage per ${type} is ${min}, but request is ${request}`]
  if (limit !== undefined && compareQuantity(limit, min) < 0)
    return [`minimum ${name} usage per ${type} is ${min}, but limit is ${limit}`]
  return []
}

function maxFaults(
  type: string,
  name: string,
  max: QuantityText,
  request?: QuantityText,
  limit?: QuantityText,
): readonly string[] {
  if (type === 'PersistentVolumeClaim') {
    if (request === undefined || compareQuantity(request, max) <= 0) return []
    return [`maximum ${name} usage per ${type} is ${max}, but request is ${request}`]
  }
  if (limit === undefined) return [`maximum ${name} usage per ${type} is ${max}.  No limit is specified`]
  if (compareQuantity(limit, max) > 0) return [`maximum ${name} usage per ${type} is ${max}, but limit is ${limit}`]
  if (request !== undefined && compareQuantity(request, max) > 0)
    return [`maximum ${name} usage per ${type} is ${max}, but request is ${request}`]
  return []
}

function ratioFaults(
  type: string,
  name: string,
  ratio: QuantityText,
  request?: QuantityText,
  limit?: QuantityText,
): readonly string[] {
  const head = `${name} max limit to request ratio per ${type} is ${ratio}`
  if (request === undefined || quantityMilliValue(request) === 0)
    return [`${head}, but no request is specified or request is 0`]
  if (limit === undefined || quantityMilliValue(limit) === 0)
    return [`${head}, but no limit is specified or limit is 0`]
  const actual = quantityMilliValue(limit) / quantityMilliValue(request)
  return actual > quantityMilliValue(ratio) / 1000 ? [`${head}, but provided ratio is ${actual.toFixed(6)}`] : []
}

/**
 * What a pod needs: what it says itself, else the sum of its containers and sidecars, or the largest of its other init
 * containers, with the sidecars before it, where that is more.
 */
export function podAmounts(spec: PodSpec | undefined, list: 'requests' | 'limits'): Amounts {
  const sums: Record<string, QuantityText> = {}
  const add = (to: Record<string, QuantityText>, { resources }: Container): void => {
    for (const [name, amount] of Object.entries(resources?.[list] ?? {}))
      to[name] = to[name] === undefined ? amount : addQuantity(to[name] ?? 0, amount)
  }
  for (const container of spec?.containers ?? []) add(sums, container)
  const sidecars: Record<string, QuantityText> = {}
  const atStart: Record<string, QuantityText> = {}
  for (const container of spec?.initContainers ?? []) {
    if (container.restartPolicy === 'Always') {
      add(sums, container)
      add(sidecars, container)
      continue
    }
    const together = { ...sidecars }
    add(together, container)
    raise(atStart, together)
  }
  raise(sums, atStart)
  return { ...sums, ...spec?.resources?.[list] }
}

/** Takes over each amount that is larger. */
function raise(to: Record<string, QuantityText>, from: Amounts): void {
  for (const [name, amount] of Object.entries(from))
    if (to[name] === undefined || compareQuantity(amount, to[name] ?? 0) > 0) to[name] = amount
}
