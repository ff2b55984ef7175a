// Custom kinds for tests: as a client knows one, and the definition of it, as short as a person would write it.

import type { CustomResourceDefinition, Kind } from '#kinds'
import type { AnyObject } from '#objects'

/** A namespaced kind of example.com/v1, unless another group is said. */
export const customKind = (kind: string, group = 'example.com'): Kind<AnyObject> => ({
  group,
  version: 'v1',
  kind,
  resource: `${kind.toLowerCase()}s`,
  namespaced: true,
})

export const Widget = customKind('Widget')

/** The schema of an object with these properties. */
export const objectOf = (properties: Readonly<Record<string, object>>) => ({ type: 'object', properties })

/** Takes whatever is in it. */
export const anyObject = { type: 'object', 'x-kubernetes-preserve-unknown-fields': true }

/** What of a definition is not as always. The versions are v1, v2 and so on; the first is stored, all are served. */
interface Particulars {
  readonly names?: object
  readonly conversion?: object
  readonly versions?: readonly object[]
}

/** The definition of a kind: of one version that takes any object, where the particulars say nothing else. */
export function definitionOf(
  { group, kind, resource }: Kind,
  { names, versions = [{}], ...more }: Particulars = {},
): CustomResourceDefinition {
  return {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: `${resource}.${group}` },
    spec: {
      group,
      scope: 'Namespaced',
      names: { plural: resource, singular: kind.toLowerCase(), kind, listKind: `${kind}List`, ...names },
      versions: versions.map((version, i) => ({
        name: `v${i + 1}`,
        served: true,
        storage: i === 0,
        schema: { openAPIV3Schema: anyObject },
        ...version,
      })),
      ...more,
    },
  } as CustomResourceDefinition
}
