// What an outside cluster serves, as it says itself: every kind in every version, with whether it has a namespace. Asked in
// one go where the server knows how (1.26 and newer), group by group otherwise.

import { ApiError } from '#api'
import type { Client } from '#client'
import type { Kind } from '#kinds'
import type { AnyObject } from '#objects'

export interface Served {
  /** Undefined when the cluster does not serve the kind, or when it cannot be listed and watched. */
  kindOf(apiVersion: string, kind: string): Kind | undefined
  /** In the version that the cluster prefers. */
  preferred(group: string, kind: string): Kind | undefined
  /** `group/version` and `group/version/Kind`, sorted. */
  readonly apiVersions: readonly string[]
  /** Each kind once, in the version that the cluster prefers. */
  readonly kinds: readonly Kind[]
}

interface Resource extends Kind {
  readonly verbs: readonly string[]
}

/** Kinds of one cluster by what they are, so that the same kind stays the same value at every asking. */
export type KnownKinds = Map<string, Kind>

export async function discover(client: Client, known: KnownKinds, signal: AbortSignal): Promise<Served> {
  const resources = (await aggregated(client, signal)) ?? (await byGroup(client, signal))
  return servedOf(resources, known)
}

/** The first version of a group that has a kind is the preferred one. */
function servedOf(resources: readonly Resource[], known: KnownKinds): Served {
  const byVersion = new Map<string, Kind>()
  const byGroup = new Map<string, Kind>()
  const apiVersions = new Set<string>()
  for (const { verbs, group, version, kind, resource, namespaced } of resources) {
    const apiVersion = group === '' ? version : `${group}/${version}`
    apiVersions.add(apiVersion)
    apiVersions.add(`${apiVersion}/${kind}`)
    if (!['get', 'list', 'watch'].every((verb) => verbs.includes(verb))) continue
    const id = `${apiVersion} ${kind} ${resource} ${namespaced}`
    const value = known.get(id) ?? { group, version, kind, resource, namespaced }
    known.set(id, value)
    if (!byVersion.has(`${apiVersion} ${kind}`)) byVersion.set(`${apiVersion} ${kind}`, value)
    if (!byGroup.has(`${group}/${kind}`)) byGroup.set(`${group}/${kind}`, value)
  }
  return {
    kindOf: (apiVersion, kind) => byVersion.get(`${apiVersion} ${kind}`),
    preferred: (group, kind) => byGroup.get(`${group}/${kind}`),
    apiVersions: [...apiVersions].sort(),
    kinds: [...byGroup.values()],
  }
}

interface DiscoveredGroup {
  readonly metadata?: { readonly name?: string }
  readonly versions?: readonly {
    readonly version?: string
    readonly resources?: readonly {
      readonly resource?: string
      readonly responseKind?: { readonly group?: string; readonly version?: string; readonly kind?: string }
      readonly scope?: string
      readonly verbs?: readonly string[]
    }[]
  }[]
}

/** Undefined: the server does not know how. */
async function aggregated(client: Client, signal: AbortSignal): Promise<readonly Resource[] | undefined> {
  const accept = { as: 'object', managedFields: false, aggregatedDiscovery: 'v2' } as const
  const found: Resource[] = []
  for (const path of ['/api', '/apis']) {
    const answer = objectIn(await client.request({ verb: 'get', path, accept }, signal))
    if (answer.kind !== 'APIGroupDiscoveryList') return undefined
    for (const group of (answer['items'] ?? []) as readonly DiscoveredGroup[]) found.push(...resourcesOf(group))
  }
  return found
}

const resourcesOf = ({ metadata, versions = [] }: DiscoveredGroup): readonly Resource[] =>
  versions.flatMap(({ version = '', resources = [] }) =>
    resources.map(({ resource = '', responseKind, scope, verbs = [] }) => ({
      group: metadata?.name ?? '',
      version,
      kind: responseKind?.kind ?? '',
      resource,
      namespaced: scope === 'Namespaced',
      verbs,
    })),
  )

interface ListedGroup {
  readonly name: string
  readonly versions: readonly { readonly version: string }[]
  readonly preferredVersion?: { readonly version: string }
}

async function byGroup(client: Client, signal: AbortSignal): Promise<readonly Resource[]> {
  const ask = async (path: string): Promise<AnyObject> => objectIn(await client.request({ verb: 'get', path }, signal))
  const core = (await ask('/api'))['versions'] as readonly string[] | undefined
  const groups = (await ask('/apis'))['groups'] as readonly ListedGroup[] | undefined
  const wanted = [
    ...(core ?? []).map((version) => ({ group: '', version, path: `/api/${version}` })),
    ...(groups ?? []).flatMap(({ name, versions, preferredVersion }) =>
      [...versions]
        .sort(
          (a, b) => Number(b.version === preferredVersion?.version) - Number(a.version === preferredVersion?.version),
        )
        .map(({ version }) => ({ group: name, version, path: `/apis/${name}/${version}` })),
    ),
  ]
  const found: Resource[] = []
  for (const { group, version, path } of wanted) {
    try {
      found.push(...listedResources((await ask(path))['resources'], { group, version }))
    } catch (error) {
      // An API that is served by somebody else may be away; the others are there all the same.
      if (!(error instanceof ApiError) || (error.code !== 503 && error.code !== 404)) throw error
    }
  }
  return found
}

function listedResources(listed: unknown, at: Pick<Kind, 'group' | 'version'>): readonly Resource[] {
  const resources = (listed ?? []) as readonly (Pick<Resource, 'kind' | 'namespaced' | 'verbs'> & {
    readonly name: string
  })[]
  return resources
    .filter(({ name }) => !name.includes('/'))
    .map(({ name, kind, namespaced, verbs }) => ({ ...at, kind, resource: name, namespaced, verbs }))
}

function objectIn({ body }: Awaited<ReturnType<Client['request']>>): AnyObject {
  if (body.type === 'object') return body.object
  throw new ApiError({ code: 503, reason: 'ServiceUnavailable', message: 'the answer is not that of a Kubernetes API' })
}

/** `1.34.0` of `v1.34.0-gke.100`. */
export async function versionOf(client: Client, signal: AbortSignal): Promise<string> {
  const { gitVersion } = objectIn(await client.request({ verb: 'get', path: '/version' }, signal))
  const numbers = typeof gitVersion === 'string' ? /^v?(\d{1,9}(?:\.\d{1,9}){1,2})/.exec(gitVersion)?.[1] : undefined
  if (numbers !== undefined) return numbers
  throw new ApiError({ code: 503, reason: 'ServiceUnavailable', message: 'the server does not say its version' })
}
