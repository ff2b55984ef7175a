// The nodes of a scenario's cluster, by the names that it shows (node-a) or that they have.

import type { Lab } from './lab.ts'
import { UsageError } from './scenario-error.ts'

/** The name that the cluster knows; throws when there is no such node. */
export function nodeNamed({ machine, names }: Lab, shown: string): string {
  const name = names.real('', shown)
  const all = machine.residents.kubelet?.nodeNames ?? []
  if (all.includes(name)) return name
  throw new UsageError(`no node is called ${shown}: use one of ${all.map((one) => names.show(one)).join(', ')}`)
}
