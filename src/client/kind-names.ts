// Finds the kind that people name as kubectl's users do: `pod`, `pods`, `po`, `deployment.apps`, `Application`.

import { CustomResourceDefinition, type Kind, resourceTable } from '#kinds'
import type { Client } from './client.ts'

interface Named {
  readonly kind: Kind
  readonly names: readonly string[]
}

const builtIn: readonly Named[] = resourceTable
  .filter(({ verbs }) => verbs.includes('get'))
  .map((row) => ({ kind: row, names: [row.resource, row.singular, row.kind.toLowerCase(), ...row.shortNames] }))

async function customKinds(client: Client): Promise<readonly Named[]> {
  const { items } = await client.list(CustomResourceDefinition)
  return items.map(({ spec }) => ({
    kind: {
      group: spec.group,
      version: spec.versions.find(({ storage }) => storage)?.name ?? spec.versions[0]?.name ?? '',
      kind: spec.names.kind,
      resource: spec.names.plural,
      namespaced: spec.scope === 'Namespaced',
    },
    names: [
      spec.names.plural,
      spec.names.singular ?? '',
      spec.names.kind.toLowerCase(),
      ...(spec.names.shortNames ?? []),
    ],
  }))
}

/** The kind called `text`, optionally with its group after a dot; undefined when the server has none of that name. */
export async function findKindNamed(client: Client, text: string): Promise<Kind | undefined> {
  const dot = text.indexOf('.')
  const name = (dot < 0 ? text : text.slice(0, dot)).toLowerCase()
  const group = dot < 0 ? undefined : text.slice(dot + 1)
  const matches = ({ kind, names }: Named): boolean =>
    names.includes(name) && (group === undefined || kind.group === group)
  return (builtIn.find(matches) ?? (await customKinds(client)).find(matches))?.kind
}
