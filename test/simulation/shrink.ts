// The fewest deeds that still make a run fail in the same way: delta debugging (Zeller and Hildebrandt, ddmin), within a
// budget of runs.

export type Fails = (deeds: ReadonlySet<string>) => Promise<boolean>

/** Answers a smallest set that was found; `deeds` itself when nothing less fails. */
export async function shrink(deeds: readonly string[], fails: Fails, budget = 80): Promise<readonly string[]> {
  let runs = 0
  const tryOut = (candidate: readonly string[]): Promise<boolean> => {
    runs += 1
    return fails(new Set(candidate))
  }
  if (deeds.length > 0 && (await tryOut([]))) return []
  let current = deeds
  let parts = 2
  while (current.length >= 2 && runs < budget) {
    const smaller = await smallerThan(current, parts, tryOut, () => runs < budget)
    if (smaller !== undefined) {
      parts = smaller.isPart ? 2 : Math.max(parts - 1, 2)
      current = smaller.deeds
    } else if (parts >= current.length) break
    else parts = Math.min(current.length, parts * 2)
  }
  return current
}

interface Smaller {
  readonly deeds: readonly string[]
  readonly isPart: boolean
}

async function smallerThan(
  current: readonly string[],
  parts: number,
  tryOut: (candidate: readonly string[]) => Promise<boolean>,
  mayRun: () => boolean,
): Promise<Smaller | undefined> {
  const chunks = split(current, parts)
  for (const chunk of parts === 2 ? chunks : []) {
    if (!mayRun()) return undefined
    if (await tryOut(chunk)) return { deeds: chunk, isPart: true }
  }
  for (const chunk of chunks) {
    if (!mayRun()) return undefined
    const rest = current.filter((deed) => !chunk.includes(deed))
    if (rest.length > 0 && (await tryOut(rest))) return { deeds: rest, isPart: false }
  }
  return undefined
}

function split(deeds: readonly string[], parts: number): readonly (readonly string[])[] {
  const size = Math.ceil(deeds.length / parts)
  const chunks: (readonly string[])[] = []
  for (let at = 0; at < deeds.length; at += size) chunks.push(deeds.slice(at, at + size))
  return chunks
}
