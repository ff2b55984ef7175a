// Every kind of object that can be listed, watched and deleted: the built-in ones once each (some are served in several
// groups or versions), and those that CustomResourceDefinitions define. Asked by the loops that work over all kinds.

import { CustomResourceDefinition, compareVersions, type Kind, resourceTable } from '#kinds'
import type { Cache } from '#reconcile'

/** The same objects under another name. */
const aliases: ReadonlySet<string> = new Set(['events.k8s.io/v1/events', 'autoscaling/v1/horizontalpodautoscalers'])
const needed = ['list', 'watch', 'delete']

export const builtInKinds: readonly Kind[] = resourceTable
  .filter(
    ({ group, version, resource, verbs }) =>
      !aliases.has(`${group}/${version}/${resource}`) && needed.every((verb) => verbs.includes(verb)),
  )
  .map(({ group, version, kind, resource, namespaced }) => ({ group, version, kind, resource, namespaced }))

const kindByDefinition = new WeakMap<CustomResourceDefinition, Kind>()

/** The kind that a definition serves, always the same value for the same definition; undefined until it is established. */
export function definedKind(definition: CustomResourceDefinition): Kind | undefined {
  const known = kindByDefinition.get(definition)
  if (known !== undefined) return known
  const { spec, status } = definition
  const isEstablished = status?.conditions?.some(({ type, status: is }) => type === 'Established' && is === 'True')
  // The version that discovery prefers, as every client that works over all kinds uses it.
  const [version] = spec.versions.filter((one) => one.served).toSorted((a, b) => compareVersions(a.name, b.name))
  if (isEstablished !== true || version === undefined) return undefined
  const { group, names, scope } = spec
  const kind: Kind = {
    group,
    version: version.name,
    kind: names.kind,
    resource: names.plural,
    namespaced: scope === 'Namespaced',
  }
  kindByDefinition.set(definition, kind)
  return kind
}

export const customKinds = (cache: Cache): readonly Kind[] =>
  cache.list(CustomResourceDefinition).flatMap((definition) => definedKind(definition) ?? [])

/** `deployments.apps`, as kubectl writes it. */
export const resourceName = ({ group, resource }: Kind): string => (group === '' ? resource : `${resource}.${group}`)
