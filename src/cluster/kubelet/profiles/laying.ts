// How parts of a container's workload are laid over one another: what is said first stands, field by field.

import type { DecidedField } from '../workload/decided-field.ts'
import type { ContainerWorkload } from '../workload/workload.ts'

export type Part = Partial<ContainerWorkload>

/** Fields whose parts are decided one by one. */
const nested = ['probes', 'hooks'] as const

/** Lays `part` under what is decided already. */
export function lay(decided: Part, part: Part, rule: string, rules: DecidedField[]): Part {
  const all: Record<string, unknown> = { ...decided }
  for (const [field, value] of Object.entries(part)) {
    if (field === 'lastRepeats') continue
    if ((nested as readonly string[]).includes(field)) {
      const inner: Record<string, unknown> = { ...(all[field] as object | undefined) }
      for (const [name, one] of Object.entries(value as object)) {
        if (inner[name] !== undefined) continue
        inner[name] = one
        rules.push({ field: `${field}.${name}`, rule })
      }
      all[field] = inner
    } else if (all[field] === undefined) {
      all[field] = value
      rules.push({ field, rule })
    }
  }
  return all as Part
}
