// The route as people read it: name, address, table, endpoints with why, result. `show` may call things by other names.

import type { Candidate } from './candidates.ts'
import type { RouteReport } from './route.ts'

const head = ['', 'ENDPOINT', 'POD', 'NODE', 'ZONE', 'STATE', 'WHY']

export function formatRoute(report: RouteReport, show: (text: string) => string = (text) => text): string {
  const { target, from, name, address, table, candidates, result, notes } = report
  const where = from.kind === 'pod' ? `pod ${from.name} on ${from.node}` : from.node
  const origin = from.kind === 'outside' ? `outside, by way of ${from.node}` : where
  const lines = [
    `${target} from ${origin}${from.zone === undefined ? '' : ` (zone ${from.zone})`}`,
    ...(name === undefined ? [] : [`  name     ${name.asked.at(-1)} → ${name.answer}`]),
    ...(address === undefined ? [] : [`  address  ${address}`]),
    ...(table === undefined ? [] : [`  table    of ${table.node}: ${table.policy}; ${table.rule}`]),
  ].map(show)
  const rows = candidates.map((candidate) => rowOf(candidate).map(show))
  return [
    ...lines,
    ...(rows.length === 0 ? [] : columns([head, ...rows.sort(byPod)])),
    show(`  result   ${result.text}`),
    ...notes.map((note) => show(`  note     ${note}`)),
  ].join('\n')
}

const rowOf = ({ endpoint, pod = '', node = '', zone = '', state, used, why }: Candidate): readonly string[] => [
  used ? '→' : '✗',
  endpoint === '' ? '-' : endpoint,
  pod,
  node,
  zone,
  state,
  why,
]

/** In order of pods, numbers by their value. */
const byPod = (a: readonly string[], b: readonly string[]): number =>
  (a[2] ?? '').localeCompare(b[2] ?? '', 'en', { numeric: true }) || ((a[1] ?? '') < (b[1] ?? '') ? -1 : 1)

function columns(rows: readonly (readonly string[])[]): readonly string[] {
  // A column that says nothing is left out.
  const kept = head.map((_, i) => i).filter((i) => i === 0 || rows.slice(1).some((row) => row[i] !== ''))
  const widths = kept.map((i) => Math.max(...rows.map((row) => (row[i] ?? '').length)))
  return rows.map((row) => `  ${kept.map((i, at) => (row[i] ?? '').padEnd(widths[at] ?? 0)).join('  ')}`.trimEnd())
}
