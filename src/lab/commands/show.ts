// `show KIND`: the server's table. `show KIND/NAME PATH…`: fields. `show events [KIND/NAME]`, `show endpoints SERVICE`,
// `show conditions KIND/NAME`, `show loop NAME`, `show losses PROBE`, `show fights`, `show figures`: what cannot be seen in a table. Rows are in the order of the shown names.

import type { CommandCall } from '../command.ts'
import { type LabCommand, spaceOf } from '../command.ts'
import type { Lab } from '../lab.ts'
import { showLosses } from '../losses.ts'
import { fieldAt, fieldText } from '../object-path.ts'
import { UsageError } from '../scenario-error.ts'
import { cellsOf, plainColumns } from '../server-table.ts'
import { byNumberedName, tableOf } from '../table.ts'
import { showConditions, showEndpoints, showEvents, showFights, showLoop } from '../views.ts'

export const showCommand: LabCommand = {
  name: 'show',
  usage:
    'KIND [with COLUMN,…] [-n NAMESPACE] [-A] [-l SELECTOR] | KIND/NAME PATH … | events [KIND/NAME] [--reason=REASON,…] [--count] | endpoints SERVICE | conditions KIND/NAME | loop NAME | losses PROBE | fights | figures',
  async run(lab, call) {
    const [what = '', ...rest] = call.words
    if (what === 'events') return showEvents(lab, call, rest[0])
    if (what === 'endpoints') return showEndpoints(lab, call, rest[0])
    if (what === 'conditions') return showConditions(lab, call, rest[0])
    if (what === 'loop') return showLoop(lab, rest[0])
    if (what === 'losses') return showLosses(lab, rest[0])
    if (what === 'figures') return lab.figures.lines()
    if (what === 'fights') return showFights(lab)
    if (what.includes('/')) return showFields(lab, call, what, rest)
    return showTable(lab, call, what, rest)
  },
}

async function showFields(lab: Lab, { options }: CommandCall, target: string, paths: readonly string[]) {
  const { kind, ref } = await lab.target(target, options.get('namespace'))
  if (paths.length === 0) throw new UsageError('name the fields to show')
  const real = await lab.ask((client) => client.get(kind, ref))
  // Paths may go by shown names, such as that of an owner.
  const object: unknown = JSON.parse(lab.names.show(JSON.stringify(real)))
  return paths.map((path) => `${path}: ${fieldText(fieldAt(object, path))}`)
}

async function showTable(lab: Lab, call: CommandCall, name: string, rest: readonly string[]) {
  const kind = await lab.kindNamed(name)
  const more = rest[0] === 'with' ? (rest[1] ?? '').toUpperCase().split(',') : []
  const columns = [...(await lab.ask((client) => plainColumns(client, kind))), ...more]
  const rows = await lab.ask((client) => cellsOf(client, kind, spaceOf(call)))
  const everywhere = kind.namespaced && call.options.has('all-namespaces')
  if (rows.length === 0) return [`no ${kind.resource}`]
  // In order before anything but names is shown: nodes are called by the order in which they come into view.
  const ordered = rows
    .map((row) => ({ row, key: `${everywhere ? `${row.namespace}/` : ''}${lab.names.show(row.name)}` }))
    .toSorted((a, b) => byNumberedName(a.key, b.key))
  const cells = ordered.map(({ row }) => [
    ...(everywhere ? [row.namespace] : []),
    ...columns.map((column) => lab.names.show(row.cells.get(column) ?? '')),
  ])
  return tableOf([...(everywhere ? ['NAMESPACE'] : []), ...columns], cells)
}
