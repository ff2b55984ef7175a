// Whether a replay shows what the recording shows, as closely as the recording's `compare` asks for. Answers the first
// differences as text; none is a match.

import { GeneratedNames, type PlainEntry, type PlainEvent, plainEvents, plainText, plainTimeline } from './normalise.ts'
import type { Compare, Entry, OptionalStatus, Recording, SecondRun } from './recording.ts'
import type { Seen } from './replay.ts'

export function differences(recording: Recording, seen: Seen): readonly string[] {
  const { compare } = recording.behaviour
  return [...timelineDifferences(recording, seen), ...eventDifferences(recording, seen, compare)]
}

const generatedNames = ({ behaviour }: Recording): GeneratedNames =>
  new GeneratedNames(Object.values(behaviour.pods).flatMap(({ namePrefix }) => namePrefix ?? []))

/** Until when things count. */
const endOf = ({ observedForSeconds, behaviour }: Recording): number =>
  observedForSeconds - (behaviour.compare.ignoreTailSeconds ?? 0)

function timelineDifferences(recording: Recording, seen: Seen): readonly string[] {
  const { timeline, behaviour, secondRun } = recording
  const { compare } = behaviour
  // Recordings of nodes leave the nodes' names out.
  const namesNodes = timeline.some((entry) => entry.nodeName !== undefined)
  const names = { namesNodes, generated: generatedNames(recording) }
  const inTime = ({ t }: Entry): boolean => t <= endOf(recording)
  const expected = [...plainTimeline(timeline.filter(inTime), names)]
  const actual = [...plainTimeline(seen.timeline.filter(inTime), names)]
  if (expected.length !== actual.length)
    return [`${expected.length} pods recorded, ${actual.length} seen: ${actual.map(([name]) => name).join()}`]
  const named = new Map(actual)
  return expected.flatMap(([name, wanted], i) => {
    const found = named.get(name) ?? actual[i]?.[1] ?? []
    const fault = sequenceFault(wanted, found, { compare, second: secondRun ?? {} })
    return fault === undefined ? [] : [`${name === '' ? 'pod' : name}: ${fault}`]
  })
}

/** Walks both sequences at once; entries that chance shows or hides may be left out on either side. */
function sequenceFault(
  wanted: readonly PlainEntry[],
  found: readonly PlainEntry[],
  { compare, second }: { readonly compare: Compare; readonly second: SecondRun },
): string | undefined {
  const { optionalStatuses = [], statusSequence, maxMissingEntries = 0 } = compare
  const lenient = compare.anyOrderStatuses !== undefined
  const optional = (entry: PlainEntry): boolean => optionalStatuses.some((one) => matchesOptional(entry, one))
  // What the second recording had instead is right as well.
  const differs = (entry: PlainEntry, sign: '-' | '+'): boolean =>
    (second.statusDifferences ?? []).some((line) => line === `${sign}${signature(entry)}`)
  // A lastState that is not there yet, or not any more, is seen by chance.
  const passing = (...entries: readonly PlainEntry[]): boolean =>
    entries.some((entry) =>
      optionalStatuses.some((one) => one.withoutLastState === true && matchesOptional(entry, one)),
    )
  const unseenPhases = new Set(optionalStatuses.flatMap(({ phaseAfterIfUnseen }) => phaseAfterIfUnseen ?? []))
  const same = (a: PlainEntry, b: PlainEntry): boolean => {
    if (a.text !== b.text) return (lenient && sameSet(a, b)) || (passing(a, b) && withoutLast(a) === withoutLast(b))
    return (
      a.phase === b.phase ||
      (unseenPhases.has(a.phase) && b.phase === 'Running') ||
      (unseenPhases.has(b.phase) && a.phase === 'Running')
    )
  }
  let furthest: readonly [number, number] = [0, 0]
  const seen = new Set<string>()
  const walk = (i: number, j: number): boolean => {
    const key = `${i} ${j}`
    if (seen.has(key)) return false
    seen.add(key)
    if (i + j > furthest[0] + furthest[1]) furthest = [i, j]
    const [a, b] = [wanted[i], found[j]]
    if (a === undefined && b === undefined) return true
    if (statusSequence === 'commonPrefix' && (a === undefined || b === undefined))
      return wanted.length - i + found.length - j <= maxMissingEntries
    if (a !== undefined && b !== undefined && same(a, b) && walk(i + 1, j + 1)) return true
    if (a !== undefined && (optional(a) || differs(a, '-')) && walk(i + 1, j)) return true
    return b !== undefined && (optional(b) || differs(b, '+')) && walk(i, j + 1)
  }
  if (walk(0, 0)) return undefined
  const [i, j] = furthest
  return `entry ${i}: ${contrast(wanted[i], found[j])}`
}

function matchesOptional({ entry }: PlainEntry, { pod, container, state, withoutLastState }: OptionalStatus): boolean {
  if (pod !== undefined && entry.pod !== undefined && entry.pod !== pod && !entry.pod.startsWith(`${pod}-`))
    return false
  const { containerStatuses = [], initContainerStatuses = [] } = entry.status as {
    readonly containerStatuses?: readonly Status[]
    readonly initContainerStatuses?: readonly Status[]
  }
  return [...initContainerStatuses, ...containerStatuses].some(
    (status) =>
      status.name === container &&
      status.state?.[state] !== undefined &&
      (withoutLastState !== true || Object.keys(status.lastState ?? {}).length === 0),
  )
}

interface Status {
  readonly name: string
  readonly state?: Readonly<Record<string, unknown>>
  readonly lastState?: Readonly<Record<string, unknown>>
  readonly ready: boolean
  readonly started?: boolean
  readonly restartCount: number
}

/** An entry in the short form in which the recordings tell how their second run differed. */
function signature({ watch, phase, entry }: PlainEntry): string {
  const status = entry.status as {
    readonly reason?: string
    readonly message?: string
    readonly conditions?: readonly { readonly type: string; readonly status: string; readonly reason?: string }[]
    readonly containerStatuses?: readonly Status[]
    readonly initContainerStatuses?: readonly Status[]
  }
  const conditions = (status.conditions ?? [])
    .map(({ type, status: value, reason }) => `${type}=${value}${reason === undefined ? '' : `(${reason})`}`)
    .sort()
    .join(' ')
  const containers = [...(status.initContainerStatuses ?? []), ...(status.containerStatuses ?? [])].map(
    ({ name, state, lastState, ready, started, restartCount }) =>
      `${name}: ${printed(state)} last=${printed(lastState)} ready=${python(ready)} started=${python(started === true)} rc=${restartCount}`,
  )
  const why = [status.reason, status.message].flatMap((text) => text ?? [])
  return [watch, phase, ...why, conditions, ...containers].join(' | ')
}

const python = (value: boolean): string => (value ? 'True' : 'False')

/** A state without times and ids, as the recordings print it. */
function printed(state: Readonly<Record<string, unknown>> | undefined): string {
  const parts = Object.entries(state ?? {}).map(([name, value]) => {
    const { exitCode, reason, message } = value as {
      readonly exitCode?: number
      readonly reason?: string
      readonly message?: string
    }
    const fields = [
      ...(exitCode === undefined ? [] : [`"exitCode": ${exitCode}`]),
      ...(reason === undefined ? [] : [`"reason": ${JSON.stringify(reason)}`]),
      ...(message === undefined
        ? []
        : [`"message": ${JSON.stringify(plainText(message).replaceAll('<uid>', '<uid-1>'))}`]),
    ]
    return `"${name}": {${fields.join(', ')}}`
  })
  return `{${parts.join(', ')}}`
}

const withoutLast = ({ text }: PlainEntry): string => text.replace(/"lastState":\{(?:"terminated":\{[^}]*\})?\}/g, '')

/** Two writers in one moment: conditions may come in another order, the deletion before or after them. */
const sameSet = (a: PlainEntry, b: PlainEntry): boolean => [...a.text].sort().join('') === [...b.text].sort().join('')

function contrast(wanted: PlainEntry | undefined, found: PlainEntry | undefined): string {
  if (wanted === undefined) return `nothing more recorded, seen at ${found?.t}: ${short(found)}`
  if (found === undefined) return `nothing more seen, recorded at ${wanted.t}: ${short(wanted)}`
  if (wanted.text === found.text)
    return `phase ${wanted.phase} recorded at ${wanted.t}, ${found.phase} seen at ${found.t}`
  let at = 0
  while (wanted.text[at] === found.text[at]) at += 1
  const from = Math.max(0, at - 120)
  const cut = (text: string): string => text.slice(from, at + 200)
  return `recorded at ${wanted.t}, seen at ${found.t}\n   - …${cut(wanted.text)}\n   + …${cut(found.text)}`
}

const short = (entry: PlainEntry | undefined): string => `${entry?.phase} ${entry?.text.slice(0, 1500)}`

function eventDifferences(recording: Recording, seen: Seen, compare: Compare): readonly string[] {
  const reading = { ignoredPrefix: compare.ignoreTextPrefix, generated: generatedNames(recording) }
  const wanted = plainEvents(recording.events, reading).filter(({ reason }) => !ofThatHost.has(reason))
  const last = Math.min(recording.observedForSeconds - 1, endOf(recording))
  const found = plainEvents(seen.events, reading).filter(({ reason }) => !ofControlPlane.has(reason))
  const faults: string[] = []
  const [byKey, foundByKey] = [grouped(wanted), grouped(found)]
  for (const [key, events] of byKey) {
    const others = foundByKey.get(key)
    if (others === undefined) {
      const first = events[0]
      if (first !== undefined && first.t < last && !isOptional(first, compare))
        faults.push(`event not seen: ${key} (recorded at ${first.t})`)
      continue
    }
    faults.push(...countFault(key, [events, others], compare))
    faults.push(...timeFault(key, [events, others], compare))
  }
  for (const [key, events] of foundByKey) {
    const first = events[0]
    if (!byKey.has(key) && first !== undefined && first.t < last && !isOptional(first, compare))
      faults.push(`event not recorded: ${key} (seen at ${first.t})`)
  }
  return faults
}

/** Events about nodes that come by the rhythm of a controller, whatever the kubelet does. */
const ofControlPlane = new Set(['RegisteredNode'])

/** Events of the machine on which the recordings were made. */
const ofThatHost = new Set(['CgroupV1', 'InvalidDiskCapacity'])

type Pair = readonly [recorded: readonly PlainEvent[], seen: readonly PlainEvent[]]

function grouped(events: readonly PlainEvent[]): ReadonlyMap<string, readonly PlainEvent[]> {
  const groups = new Map<string, PlainEvent[]>()
  for (const event of events) groups.set(event.key, [...(groups.get(event.key) ?? []), event])
  return groups
}

const isOptional = (event: PlainEvent, { optionalEvents = [] }: Compare): boolean =>
  optionalEvents.some(
    ({ reason, messagePrefix = '', container }) =>
      event.reason === reason &&
      event.message.startsWith(messagePrefix) &&
      (container == null || container === event.container),
  )

const total = (events: readonly PlainEvent[]): number => events.reduce((sum, { count }) => sum + (count ?? 0), 0)

function countFault(key: string, [recorded, seen]: Pair, compare: Compare): readonly string[] {
  const first = recorded[0]
  if (first === undefined || first.count === null || key.includes(' Node/')) return []
  if (compare.countsVary === true && ['Pulled', 'Created', 'Started', 'Pulling'].includes(first.reason)) return []
  const rule = compare.eventCounts?.find(
    ({ reason, messagePrefix, container }) =>
      reason === first.reason && first.message.startsWith(messagePrefix.slice(0, 40)) && container === first.container,
  )
  const [wanted, found] = [total(recorded), total(seen)]
  return Math.abs(wanted - found) <= (rule?.tolerance ?? 0) ? [] : [`count ${wanted} recorded, ${found} seen: ${key}`]
}

/** Seconds by which the first appearance may differ, besides the resolution of Events. */
const toleranceSeconds = 3

function timeFault(key: string, [recorded, seen]: Pair, compare: Compare): readonly string[] {
  const [a, b] = [recorded[0], seen[0]]
  if (a === undefined || b === undefined || compare.ignoreTimeOf?.includes(a.reason) === true) return []
  const bound = a.t > 10 ? toleranceSeconds + a.t * 0.35 : toleranceSeconds
  return Math.abs(a.t - b.t) <= bound ? [] : [`first recorded at ${a.t}, seen at ${b.t}: ${key}`]
}
