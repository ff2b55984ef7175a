// What the server has no table for, in lines that stay the same from run to run: Events without times, Endpoints by
// pod, conditions, the back-off of a loop.

import { describeFight } from '#insight'
import { EndpointSlice, Event } from '#kinds'
import { type CommandCall, namespaceOf, spaceOf } from './command.ts'
import type { Lab } from './lab.ts'
import { UsageError } from './scenario-error.ts'
import { byNumberedName, tableOf } from './table.ts'

/** The recorder ends an Event's name with the nanosecond of its first occurrence, in hexadecimal. */
const firstSeen = ({ metadata }: Event): string => (metadata.name ?? '').split('.').at(-1)?.padStart(16, '0') ?? ''

/** Grouped by object, in the order in which they were first seen. */
export async function showEvents(lab: Lab, call: CommandCall, target: string | undefined): Promise<readonly string[]> {
  const wanted = target === undefined ? undefined : await lab.target(target, namespaceOf(call))
  const { items } = await lab.ask((client) => client.list(Event, spaceOf(call)))
  const reason = call.options.get('reason')
  const chosen = items.filter(
    (event) =>
      (wanted === undefined ||
        (event.involvedObject.kind === wanted.kind.kind && event.involvedObject.name === wanted.ref.name)) &&
      (reason === undefined || reason.split(',').includes(event.reason ?? '')),
  )
  const rows = chosen.map((event) => ({
    at: firstSeen(event),
    object: lab.names.show(`${event.involvedObject.kind?.toLowerCase() ?? ''}/${event.involvedObject.name ?? ''}`),
    cells: [event.type ?? '', event.reason ?? ''],
    message: (event.message ?? '').trimEnd().replaceAll('\n', '\\n'),
    count: event.count ?? event.series?.count ?? 1,
  }))
  rows.sort((a, b) => byNumberedName(a.object, b.object) || (a.at < b.at ? -1 : a.at > b.at ? 1 : byMessage(a, b)))
  if (rows.length === 0) return ['no events']
  const withCount = call.options.has('count')
  const [head = '', ...lines] = tableOf(
    ['OBJECT', 'TYPE', 'REASON', ...(withCount ? ['COUNT'] : []), 'MESSAGE'],
    rows.map(({ object, cells, count, message }) => [
      object,
      ...cells,
      ...(withCount ? [String(count)] : []),
      lab.names.show(message),
    ]),
  )
  return [head, ...new Set(lines)]
}

const byMessage = (a: { readonly message: string }, b: { readonly message: string }): number =>
  byNumberedName(a.message, b.message)

export async function showEndpoints(
  lab: Lab,
  call: CommandCall,
  service: string | undefined,
): Promise<readonly string[]> {
  if (service === undefined) throw new UsageError('name a Service')
  const slices = await lab.ask((client) =>
    client.list(EndpointSlice, {
      namespace: namespaceOf(call),
      labelSelector: `kubernetes.io/service-name=${service}`,
    }),
  )
  const endpoints = slices.items.flatMap((slice) => slice.endpoints ?? [])
  if (endpoints.length === 0) return [`service ${service} has no endpoints`]
  const rows = endpoints.map(({ targetRef, conditions }) => [
    lab.names.show(targetRef?.name ?? '<none>'),
    String(conditions?.ready ?? true),
    String(conditions?.terminating ?? false),
  ])
  return tableOf(
    ['ENDPOINT', 'READY', 'TERMINATING'],
    rows.sort(([a = ''], [b = '']) => byNumberedName(a, b)),
  )
}

interface ConditionLike {
  readonly type: string
  readonly status: string
  readonly reason?: string
  readonly message?: string
}

export async function showConditions(
  lab: Lab,
  call: CommandCall,
  target: string | undefined,
): Promise<readonly string[]> {
  const { kind, ref } = await lab.target(target, namespaceOf(call))
  const object = await lab.ask((client) => client.get(kind, ref))
  const { conditions = [] } =
    (object as { readonly status?: { readonly conditions?: readonly ConditionLike[] } }).status ?? {}
  if (conditions.length === 0) return ['no conditions']
  return tableOf(
    ['CONDITION', 'STATUS', 'REASON', 'MESSAGE'],
    conditions.map(({ type, status, reason = '', message = '' }) => [type, status, reason, lab.names.show(message)]),
  )
}

/** Keys in back-off, with the error of the last try. */
export async function showLoop(lab: Lab, name: string | undefined): Promise<readonly string[]> {
  const figures = lab.machine.runtime.figures().loops.find((loop) => loop.name === name)
  if (figures === undefined) throw new UsageError(`there is no loop ${name ?? ''}`)
  const { backoff, queueDepth } = figures
  if (backoff.length === 0) return [`loop ${name}: ${queueDepth} keys wait, none in back-off`]
  return backoff.flatMap(({ key, error }) => [`loop ${name} backs off: ${key}`, `  ${error}`])
}

/** Fields that several managers write by turns. */
export function showFights({ fights }: Lab): readonly string[] {
  const lines = fights.fights().map(describeFight)
  return lines.length === 0 ? ['no fights'] : lines
}
