// What the scheduler found at its last attempt for a pod, and how people read it: which filter refused how many nodes and
// why, how the nodes that fit were scored, whether others could be made to leave, what the pod waits for.

export interface RefusedNodes {
  /** The filter. */
  readonly plugin: string
  readonly reasons: readonly string[]
  readonly count: number
  /** The first of them. */
  readonly nodes: readonly string[]
}

export interface PluginScore {
  readonly plugin: string
  /** 0…100. */
  readonly score: number
  readonly weight: number
}

export interface NodeScores {
  readonly node: string
  readonly total: number
  readonly byPlugin: readonly PluginScore[]
}

export interface Placement {
  readonly at: string
  readonly scheduler: string
  /** The chosen node; absent when none fits. */
  readonly node?: string
  readonly nodes: number
  readonly evaluated: number
  readonly feasible: number
  readonly refused: readonly RefusedNodes[]
  /** Of the best nodes, the best first. */
  readonly scores: readonly NodeScores[]
  readonly preemption?: {
    readonly node?: string
    readonly victims: readonly string[]
    readonly message?: string
  }
  readonly waiting?: {
    readonly attempts: number
    readonly wakes: readonly { readonly plugin: string; readonly events: readonly string[] }[]
    /** Until then, other pods that are ready go before it. */
    readonly backoffUntil: string
    readonly nextTryAt: string
  }
}

/** Where placements are asked for: the scheduler keeps them in memory, not in objects. */
export interface Placements {
  /** The names that the scheduler answers to. */
  readonly schedulers: readonly string[]
  readonly of: (podKey: string) => Placement | undefined | Promise<Placement | undefined>
}

export function placementLines(placement: Placement): readonly string[] {
  const { at, scheduler, node, nodes, evaluated, feasible } = placement
  const seen = evaluated < nodes ? ` (${evaluated} of ${nodes} looked at)` : ` of ${nodes}`
  const found =
    node === undefined ? `no node fits${seen}` : `${node} chosen, ${feasible} ${feasible === 1 ? 'fits' : 'fit'}${seen}`
  return [
    `last attempt at ${at} by ${scheduler}: ${found}`,
    ...refusedLines(placement),
    ...scoreLines(placement),
    ...preemptionLines(placement),
    ...waitingLines(placement),
  ]
}

const plural = (count: number, noun: string): string => `${count} ${noun}${count === 1 ? '' : 's'}`

const namesShown = 5

function refusedLines({ refused }: Placement): readonly string[] {
  return refused.map(({ plugin, reasons, count, nodes }) => {
    const names = [...nodes].sort().slice(0, namesShown)
    const rest = count - names.length
    const which = names.length === 0 ? '' : ` (${names.join(', ')}${rest > 0 ? ` and ${rest} more` : ''})`
    return `filter ${plugin} refused ${plural(count, 'node')}: ${reasons.join(', ')}${which}`
  })
}

const scoresShown = 5

function scoreLines({ scores }: Placement): readonly string[] {
  const plugins = scores[0]?.byPlugin ?? []
  if (plugins.length === 0) return []
  const lines = scores.slice(0, scoresShown).map(({ node, total, byPlugin }) => {
    const parts = byPlugin.map(({ plugin, score, weight }) => `${plugin} ${score}${weight === 1 ? '' : `×${weight}`}`)
    return `score of ${node}: ${total} = ${parts.join(' + ')}`
  })
  return scores.length > scoresShown
    ? [...lines, `and ${scores.length - scoresShown} more nodes with lower scores`]
    : lines
}

function preemptionLines({ preemption }: Placement): readonly string[] {
  if (preemption === undefined) return []
  if (preemption.node === undefined) return [`preemption does not help: ${preemption.message ?? ''}`]
  return [`preemption: ${preemption.victims.join(', ')} must leave ${preemption.node}`]
}

function waitingLines({ waiting }: Placement): readonly string[] {
  if (waiting === undefined) return []
  const { attempts, wakes, backoffUntil, nextTryAt } = waiting
  const sooner = wakes.map(({ plugin, events }) => `  when ${events.join(', or ')} (${plugin})`)
  const next = `${plural(attempts, 'attempt')} so far; next one at ${nextTryAt}`
  if (sooner.length === 0) return [next]
  return [`${next}, or sooner`, ...sooner, `  until ${backoffUntil}, pods that are ready go first`]
}
