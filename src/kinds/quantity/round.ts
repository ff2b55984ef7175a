// Lists of resources hold no finer amounts than thousandths: finer ones are rounded up when an object is read.

import { formatQuantity, parseQuantity, roundUpToMilli } from '#objects'

type Resources = Readonly<Record<string, string | number>>

const milli = 1_000_000n

export function roundResources<T extends Resources | undefined>(resources: T): T {
  if (resources === undefined || resources === null) return resources
  let copy: Record<string, string | number> | undefined
  for (const name of Object.keys(resources)) {
    const quantity = parseQuantity(resources[name] ?? '0')
    if (quantity.nano % milli === 0n) continue
    copy ??= { ...resources }
    copy[name] = formatQuantity(roundUpToMilli(quantity))
  }
  return (copy ?? resources) as T
}
