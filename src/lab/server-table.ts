// The server's own table of a kind, which is what `kubectl get` shows.

import type { Client, ListOptions } from '#client'
import type { Kind } from '#kinds'

interface Table {
  readonly columnDefinitions: readonly { readonly name: string; readonly type: string; readonly priority?: number }[]
  readonly rows: readonly {
    readonly cells: readonly unknown[]
    readonly object: { readonly metadata: { readonly namespace?: string; readonly name?: string } }
  }[]
}

export interface TableRow {
  readonly namespace: string
  readonly name: string
  /** By column name, in capitals. */
  readonly cells: ReadonlyMap<string, string>
}

export async function tableFor(client: Client, kind: Kind, options: ListOptions): Promise<Table> {
  const { namespace, labelSelector, fieldSelector } = options
  const { body } = await client.request({
    verb: 'list',
    resource: kind,
    ...(kind.namespaced && namespace !== undefined ? { namespace } : {}),
    query: {
      ...(labelSelector === undefined ? {} : { labelSelector }),
      ...(fieldSelector === undefined ? {} : { fieldSelector }),
    },
    accept: { as: 'table', managedFields: false },
  })
  if (body.type !== 'object') throw new Error('the server did not answer with a table')
  return body.object as unknown as Table
}

/** `5 (10s ago)` loses its age: it changes with every look. */
const cellText = (cell: unknown): string => String(cell ?? '<none>').replace(/ \([^)]* ago\)$/, '')

export async function cellsOf(client: Client, kind: Kind, options: ListOptions): Promise<readonly TableRow[]> {
  const { columnDefinitions, rows } = await tableFor(client, kind, options)
  return rows.map(({ cells, object: { metadata } }) => ({
    namespace: metadata.namespace ?? '',
    name: metadata.name ?? '',
    cells: new Map(columnDefinitions.map(({ name }, i) => [name.toUpperCase(), cellText(cells[i])])),
  }))
}

/** Columns of a plain `kubectl get`, without those that change with every look. */
export async function plainColumns(client: Client, kind: Kind): Promise<readonly string[]> {
  const { columnDefinitions } = await tableFor(client, kind, { fieldSelector: 'metadata.name=none' })
  return columnDefinitions
    .filter(({ name, priority = 0, type }) => priority === 0 && type !== 'date' && !passing.has(name.toUpperCase()))
    .map(({ name }) => name.toUpperCase())
}

const passing = new Set(['AGE', 'VERSION', 'CLUSTER-IP', 'LAST SCHEDULE', 'DURATION'])
