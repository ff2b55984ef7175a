// What does not go before others have gone: a CustomResourceDefinition with objects of its kind, a namespace with anything.

import type { CustomResourceDefinition, Namespace } from '#kinds'
import type { AnyObject } from '#objects'
import type { Around } from './around.ts'
import { below, conditionOf, type Finding } from './finding.ts'
import { explainGeneric } from './generic.ts'

const instancesShown = 3

export async function explainDefinition(around: Around, object: CustomResourceDefinition): Promise<readonly Finding[]> {
  const finding = explainGeneric(object as unknown as AnyObject)
  if (object.metadata.deletionTimestamp === undefined) return [finding]
  const { group, names, scope, versions } = object.spec
  const version = versions.find(({ served }) => served)?.name
  if (version === undefined) return [finding]
  const kind = { group, version, kind: names.kind, resource: names.plural, namespaced: scope === 'Namespaced' }
  const objects = await around.list<AnyObject>(kind)
  const held = objects.filter(({ metadata }) => (metadata.finalizers ?? []).length > 0)
  return [
    {
      ...finding,
      state: held.length > 0 ? 'stuck' : 'progressing',
      gap: `it is being deleted, and ${objects.length} objects of its kind go first`,
    },
    ...below(
      held.map((one) => [explainGeneric(one)]),
      instancesShown,
    ),
  ]
}

/** What is still in a namespace that is being deleted, of the kinds that its conditions name. */
export async function explainNamespace(around: Around, object: Namespace): Promise<readonly Finding[]> {
  const finding = explainGeneric(object as unknown as AnyObject)
  if (object.metadata.deletionTimestamp === undefined) return [finding]
  const message = conditionOf(object.status?.conditions, 'NamespaceContentRemaining')?.message ?? ''
  const names = [...message.matchAll(/([a-z0-9.-]{1,253}?)\.? has \d{1,9} resource/g)].map(([, name = '']) => name)
  const kinds = await Promise.all(names.slice(0, instancesShown).map((name) => around.kindOfResource(name)))
  const lists = await Promise.all(
    kinds.flatMap((kind) =>
      kind === undefined ? [] : [around.list(kind, object.metadata.name).then((objects) => ({ kind, objects }))],
    ),
  )
  const held = lists.flatMap(({ kind, objects }) =>
    objects.filter(({ metadata }) => (metadata.finalizers ?? []).length > 0).map((one) => ({ kind, one })),
  )
  const chains = await Promise.all(
    held
      .slice(0, instancesShown)
      .map(({ kind, one: { metadata } }) =>
        around.chain(kind, { namespace: metadata.namespace ?? '', name: metadata.name ?? '' }),
      ),
  )
  return [finding, ...below(chains, instancesShown)]
}
