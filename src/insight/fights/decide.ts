// When changes of one field are a fight: several managers, each undoing what another did, again and again.

export interface SeenChange {
  readonly at: number
  readonly manager: string
  readonly value: string | undefined
}

export interface Fight {
  /** `Deployment shop/web`. */
  readonly object: string
  readonly field: string
  /** Each with how often it wrote and what last. */
  readonly managers: readonly { readonly name: string; readonly changes: number; readonly value: string | undefined }[]
  readonly changes: number
  readonly perMinute: number
  readonly sinceMs: number
}

/** Changes that are older than this are forgotten. */
export const fightWindowMs = 600_000
/** So often must the writer have changed hands. */
const leastTurns = 3

export function decideFight(
  where: { readonly object: string; readonly field: string },
  seen: readonly SeenChange[],
  now: number,
): Fight | undefined {
  const recent = seen.filter(({ at }) => now - at <= fightWindowMs)
  const turns = recent.filter(({ manager }, i) => i > 0 && recent[i - 1]?.manager !== manager).length
  const first = recent[0]
  if (first === undefined || turns < leastTurns) return undefined
  const names = [...new Set(recent.map(({ manager }) => manager))].sort()
  const managers = names.map((name) => {
    const own = recent.filter(({ manager }) => manager === name)
    return { name, changes: own.length, value: own.at(-1)?.value }
  })
  const spanMs = Math.max(now - first.at, 1)
  return {
    ...where,
    managers,
    changes: recent.length,
    perMinute: Math.round((recent.length / spanMs) * 600_000) / 10,
    sinceMs: spanMs,
  }
}

/** `Deployment shop/web spec.replicas: a (3) and b (5) overwrite each other, 4 times a minute`. */
export function describeFight({ object, field, managers, perMinute }: Fight): string {
  const who = managers.map(({ name, value }) => `${name} (writes ${value ?? 'nothing'})`).join(' and ')
  return `${object} ${field}: ${who} overwrite each other, ${perMinute} changes a minute`
}
