// Which kind an object of a manifest is: one of Kubernetes', or one that a CustomResourceDefinition in the cluster serves.

import { builtInSchema, CustomResourceDefinition, type Kind, resourceTable, schemaOfCustomResource } from '#kinds'
import { type AnyObject, groupOf, type JsonObject, type Schema } from '#objects'
import type { Cache } from '#reconcile'

const idOf = (apiVersion: string, kind: string): string => `${apiVersion} ${kind}`

const builtIn: ReadonlyMap<string, Kind> = new Map(
  resourceTable
    .filter((resource) => resource.verbs.includes('get') && resource.verbs.includes('watch'))
    .map(({ group, version, kind, resource, namespaced }) => [
      idOf(group === '' ? version : `${group}/${version}`, kind),
      { group, version, kind, resource, namespaced },
    ]),
)

const served = new WeakMap<CustomResourceDefinition, ReadonlyMap<string, Kind>>()

function kindsOf(definition: CustomResourceDefinition): ReadonlyMap<string, Kind> {
  const known = served.get(definition)
  if (known !== undefined) return known
  const { group, names, scope, versions } = definition.spec
  const isServed =
    definition.status?.conditions?.some((each) => each.type === 'Established' && each.status === 'True') === true
  const kinds = new Map<string, Kind>()
  for (const version of isServed ? versions : []) {
    if (!version.served) continue
    const kind = {
      group,
      version: version.name,
      kind: names.kind,
      resource: names.plural,
      namespaced: scope === 'Namespaced',
    }
    kinds.set(idOf(`${group}/${version.name}`, names.kind), kind)
  }
  served.set(definition, kinds)
  return kinds
}

/** Kinds that an established definition serves. */
export const servedKinds = (definition: CustomResourceDefinition): Iterable<Kind> => kindsOf(definition).values()

const schemas = new WeakMap<CustomResourceDefinition, Map<string, Schema>>()

/** By what Kubernetes or a definition in the cluster says. */
export function schemaIn(cache: Cache, { group, version, kind, resource }: Kind): Schema | undefined {
  const known = builtInSchema(group, version, kind)
  if (known !== undefined) return known
  const definition = cache.get(CustomResourceDefinition, `${resource}.${group}`)
  const written = definition?.spec.versions.find(({ name }) => name === version)
  if (definition === undefined || written === undefined) return undefined
  const byVersion = schemas.get(definition) ?? new Map<string, Schema>()
  schemas.set(definition, byVersion)
  const made =
    byVersion.get(version) ??
    schemaOfCustomResource(written.schema?.openAPIV3Schema as unknown as JsonObject | undefined)
  byVersion.set(version, made)
  return made
}

/** Undefined when the cluster does not serve the kind (yet). */
export function findKind(cache: Cache, apiVersion: string, kind: string): Kind | undefined {
  const known = builtIn.get(idOf(apiVersion, kind))
  if (known !== undefined) return known
  const group = groupOf(apiVersion)
  for (const definition of cache.list(CustomResourceDefinition)) {
    if (definition.spec.group !== group || definition.spec.names.kind !== kind) continue
    const found = kindsOf(definition).get(idOf(apiVersion, kind))
    if (found !== undefined) return found
  }
  return undefined
}

/** Whether the objects of a kind have a namespace, as far as a definition among the manifests tells. */
export function scopeInManifests(
  definitions: readonly AnyObject[],
  apiVersion: string,
  kind: string,
): boolean | undefined {
  for (const definition of definitions) {
    const spec = definition['spec'] as Partial<CustomResourceDefinition['spec']> | undefined
    if (spec?.group === groupOf(apiVersion) && spec.names?.kind === kind) return spec.scope === 'Namespaced'
  }
  return undefined
}

export const missingKindText = (object: AnyObject): string =>
  `The Kubernetes API could not find ${groupOf(object.apiVersion)}/${object.kind} for requested resource ${object.metadata.namespace ?? ''}/${object.metadata.name ?? ''}. Make sure the "${object.kind}" CRD is installed on the destination cluster.`
