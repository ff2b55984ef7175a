// What charts are told about the built-in cluster: its version, and every API that it serves.

import { CustomResourceDefinition, resourceTable } from '#kinds'
import type { Cache } from '#reconcile'
import { servedKinds } from './kind-lookup.ts'

/** What charts are told. */
export interface Capabilities {
  /** Such as `1.34.0`. */
  readonly kubeVersion: string
  /** `group/version` and `group/version/Kind` of all that is served, sorted. */
  readonly apiVersions: readonly string[]
}

const kubeVersion = '1.34.0'

const apiOf = (group: string, version: string): string => (group === '' ? version : `${group}/${version}`)

const builtIn: readonly string[] = resourceTable.flatMap(({ group, version, kind }) => [
  apiOf(group, version),
  `${apiOf(group, version)}/${kind}`,
])

let last: { readonly definitions: readonly CustomResourceDefinition[]; readonly answer: Capabilities } | undefined

/** The same answer as long as no definition changed. */
export function capabilitiesOf(cache: Cache): Capabilities {
  const definitions = [...cache.list(CustomResourceDefinition)]
  if (last !== undefined && isSame(last.definitions, definitions)) return last.answer
  const custom = definitions.flatMap((definition) =>
    [...servedKinds(definition)].flatMap(({ group, version, kind }) => [
      apiOf(group, version),
      `${apiOf(group, version)}/${kind}`,
    ]),
  )
  const answer = { kubeVersion, apiVersions: [...new Set([...builtIn, ...custom])].sort() }
  last = { definitions, answer }
  return answer
}

const isSame = <T>(a: readonly T[], b: readonly T[]): boolean =>
  a.length === b.length && a.every((each, index) => each === b[index])
