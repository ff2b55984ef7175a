// Takes out of timelines and Events what a replay cannot repeat: times, uids, addresses, ids (numbered in the order in which
// they appear), durations, ends of generated names.

import type { Entry, RecordedEvent } from './recording.ts'

export interface PlainEvent {
  readonly t: number
  readonly key: string
  readonly reason: string
  readonly message: string
  readonly object: string
  readonly container: string | null
  readonly count: number | null
}

type Json = unknown

/** Names that a controller made: what they begin with, and ends by chance. */
export class GeneratedNames {
  readonly #anywhere: RegExp | undefined
  readonly #whole: RegExp | undefined

  constructor(prefixes: readonly string[]) {
    if (prefixes.length === 0) return
    const begin = prefixes.map((prefix) => prefix.replace(/[.*+?^${}()|[\]\\]/g, '\\$&').replace(/-$/, '')).join('|')
    const letters = '[bcdfghjklmnpqrstvwxz2456789]'
    // The index of an indexed Job's pod stays; the hash of a template does not.
    const pattern = `((?:${begin})(?:-\\d+)?)(?:-(?:<hash>|${letters}{6,10}))?-(?:<rand\\d*>|${letters}{5})`
    this.#anywhere = new RegExp(`${pattern}(?=\\b|_|$)`, 'g')
    this.#whole = new RegExp(`^${pattern}$`)
  }

  without(text: string): string {
    return this.#anywhere === undefined ? text : text.replace(this.#anywhere, '$1-<rand>')
  }

  /** What a name begins with; undefined for names that were given. */
  beginOf(name: string): string | undefined {
    return this.#whole?.exec(name)?.[1]
  }
}

/** Names and ids that are numbered in order of their first appearance. */
export class Names {
  readonly #known = new Map<string, string>()
  readonly #word: string

  constructor(word: string) {
    this.#word = word
  }

  of(text: string): string {
    const known = this.#known.get(text) ?? `<${this.#word}-${this.#known.size + 1}>`
    this.#known.set(text, known)
    return known
  }
}

const timeFields = new Set([
  'lastTransitionTime',
  'lastProbeTime',
  'startTime',
  'startedAt',
  'finishedAt',
  'kubernetes.io/config.seen',
])
const addressFields = new Set(['hostIP', 'podIP', 'ip'])

export function plainText(text: string): string {
  return text
    .replace(/[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}|<uid-\d+>/g, '<uid>')
    .replace(/\b[0-9a-f]{32}\b/g, '<hash>')
    .replace(/sha256:[0-9a-f]{64}/g, 'sha256:<digest>')
    .replace(/exec "(?:[0-9a-f]{64}|<id-?\d*>)"/g, 'exec "<id>"')
    .replace(/\b10\.\d+\.\d+\.\d+\b|<podIP>/g, '<podIP>')
    .replace(/kube-api-access-(?:[a-z0-9]{5}\b|<rand>)/g, 'kube-api-access-<rand>')
    .replace(/ in [0-9.]+m?s \([0-9.]+m?s including waiting\)/g, ' in <dur> (<dur> including waiting)')
    .replace(/\breal-node\b|<node>/g, '<node>')
    .replace(/^"?Successfully assigned demo\/\S+ to/, 'Successfully assigned demo/<pod> to')
    .replace(/used: \d+/g, 'used: <n>')
}

interface Finding {
  readonly ids: Names
  readonly generated: GeneratedNames
}

function plain(value: Json, key: string, finding: Finding): Json {
  if (Array.isArray(value)) return value.map((one) => plain(one, key, finding))
  if (typeof value === 'string') {
    if (key === 'containerID') return finding.ids.of(value)
    if (timeFields.has(key)) return value.startsWith('1970') ? value : '<time>'
    if (addressFields.has(key)) return '<ip>'
    return finding.generated.without(plainText(value))
  }
  if (typeof value !== 'object' || value === null) return value
  const entries = Object.entries(value).filter(([, inner]) => inner !== undefined)
  return Object.fromEntries(
    entries.sort(([a], [b]) => (a < b ? -1 : 1)).map(([name, inner]) => [name, plain(inner, name, finding)]),
  )
}

export interface PlainEntry {
  readonly t: number
  readonly text: string
  readonly phase: string
  readonly watch: string
  readonly entry: Entry
}

/** One pod's entries; pods are told apart by the order in which they appear. */
export function plainTimeline(
  timeline: readonly Entry[],
  { namesNodes, generated }: { readonly namesNodes: boolean; readonly generated: GeneratedNames },
): ReadonlyMap<string, readonly PlainEntry[]> {
  const pods = new Map<string, PlainEntry[]>()
  const idsOf = new Map<string, Names>()
  for (const entry of timeline) {
    const pod = entry.pod ?? ''
    const ids = idsOf.get(pod) ?? new Names('id')
    idsOf.set(pod, ids)
    const { phase, ...status } = entry.status as { readonly phase?: string }
    const metadata = {
      ...entry.metadata,
      ...('deletionTimestamp' in entry.metadata ? { deletionTimestamp: '<time>' } : {}),
    }
    const where = namesNodes ? { nodeName: entry.nodeName } : {}
    const rest = plain({ metadata, ...where, status }, '', { ids, generated })
    const list = pods.get(pod) ?? []
    list.push({
      t: entry.t,
      text: `${entry.watch} ${JSON.stringify(rest)}`,
      phase: phase ?? '',
      watch: entry.watch,
      entry,
    })
    pods.set(pod, list)
  }
  return pods
}

export function plainEvents(
  events: readonly RecordedEvent[],
  { ignoredPrefix, generated }: { readonly ignoredPrefix: string | undefined; readonly generated: GeneratedNames },
): readonly PlainEvent[] {
  const objects = new Names('object')
  return events.map(({ t, type, reason, message, count, source, reportingComponent, involvedObject }) => {
    const { kind, name, fieldPath } = involvedObject
    const begin = generated.beginOf(name)
    const object = begin === undefined ? plainText(name) : `${begin}-${objects.of(name)}`
    const text = generated.without(plainText(message).replaceAll(name, object))
    const shown = ignoredPrefix === undefined ? text : text.replace(ignoredPrefix, '')
    const from = source.component ?? reportingComponent
    return {
      t,
      key: `${type} ${reason} ${kind}/${object} ${fieldPath ?? ''} ${from}: ${shown}`,
      reason,
      message: shown,
      object: name,
      container: fieldPath === null ? null : (/\{(.+)\}/.exec(fieldPath)?.[1] ?? null),
      count,
    }
  })
}
