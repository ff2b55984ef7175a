// Aggregated discovery (apidiscovery.k8s.io APIGroupDiscoveryList): all groups with all of their resources at once.

import type { SubresourceInfo } from '#kinds'
import { hashOf } from '../openapi/documents.ts'
import type { Registry, Served } from '../served.ts'
import { type GroupVersions, groupsOf } from './documents.ts'

/** What lets a client keep the document until it is another one. */
export const aggregatedHeaders = (document: object): Readonly<Record<string, string>> => ({
  etag: `"${hashOf(JSON.stringify(document))}"`,
  vary: 'Accept',
  'cache-control': 'public',
})

export function aggregatedDiscovery(registry: Registry, isCore: boolean, version: 'v2' | 'v2beta1'): object {
  const groups = groupsOf(registry).filter(({ group }) => (group === '') === isCore)
  return {
    kind: 'APIGroupDiscoveryList',
    apiVersion: `apidiscovery.k8s.io/${version}`,
    metadata: {},
    items: groups.map(groupItem),
  }
}

const groupItem = ({ group, versions }: GroupVersions): object => ({
  metadata: group === '' ? {} : { name: group },
  versions: versions.map(({ version, resources }) => ({
    version,
    ...(resources.length === 0 ? {} : { resources: resources.map(resourceItem) }),
    // Of what another server answers for, nothing is known here.
    freshness: resources.length === 0 ? 'Stale' : 'Current',
  })),
})

const names = (key: string, values: readonly string[]) => (values.length === 0 ? {} : { [key]: values })

function resourceItem({ info, custom }: Served): object {
  const subresources = info.subresources.map((subresource) => subresourceItem(subresource, info, custom !== undefined))
  return {
    resource: info.resource,
    responseKind: responseKind(info.kind, info, custom !== undefined),
    scope: info.namespaced ? 'Namespaced' : 'Cluster',
    singularResource: info.singular,
    verbs: info.verbs,
    ...names('shortNames', info.shortNames),
    ...names('categories', info.categories),
    ...(subresources.length === 0 ? {} : { subresources }),
  }
}

/** Built-in resources leave group and version empty: they are those of the list. */
const responseKind = (
  kind: string,
  { group, version }: { group: string; version: string },
  isCustom: boolean,
): object => (isCustom ? { group, version, kind } : { group: '', version: '', kind })

function subresourceItem(
  { name, group, version, kind, verbs }: SubresourceInfo,
  parent: { group: string; version: string },
  isCustom: boolean,
): object {
  const own = group === '' && version === ''
  return {
    subresource: name,
    responseKind: own ? responseKind(kind, parent, isCustom) : { group, version, kind },
    verbs,
  }
}
