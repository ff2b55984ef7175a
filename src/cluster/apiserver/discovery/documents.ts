// Discovery in its older form: /api, /apis, a group, and the resources of one version. Made anew only when what is
// served changes.

import { createHash } from 'node:crypto'
import { compareVersions, type ResourceInfo } from '#kinds'
import { type Priority, registrationPriority } from '../aggregation/priorities.ts'
import type { Registry, Served } from '../served.ts'

export interface GroupVersions {
  readonly group: string
  readonly versions: readonly { readonly version: string; readonly resources: readonly Served[] }[]
}

/**
 * Groups and their versions in the order of preference, as APIServices say; the core group has an empty name. Versions that
 * another server answers for have no resources here.
 */
export function groupsOf(registry: Registry): readonly GroupVersions[] {
  const groups = new Map<string, Map<string, Served[]>>()
  const place = (group: string, version: string): Served[] => {
    const versions = groups.get(group) ?? new Map<string, Served[]>()
    groups.set(group, versions)
    const resources = versions.get(version) ?? []
    versions.set(version, resources)
    return resources
  }
  for (const served of registry.all()) place(served.info.group, served.info.version).push(served)
  for (const { group, version, isRemote } of registry.ranks()) if (isRemote) place(group, version)
  return [...groups]
    .map(([group, versions]) => ranked(registry, group, versions))
    .sort((a, b) => b.priority - a.priority || (a.first < b.first ? -1 : a.first > b.first ? 1 : 0))
}

interface RankedGroup extends GroupVersions {
  readonly priority: number
  /** The name of the APIService that brings the group forward. */
  readonly first: string
}

function ranked(registry: Registry, group: string, versions: ReadonlyMap<string, readonly Served[]>): RankedGroup {
  const priorityOf = (version: string): Priority =>
    registry.rankOf(group, version)?.priority ??
    (group === registrationGroup ? registrationPriority : { group: 0, version: 0 })
  const names = [...versions.keys()]
  const priority = Math.max(...names.map((version) => priorityOf(version).group))
  const leading = names.filter((version) => priorityOf(version).group === priority).sort()
  return {
    group,
    priority,
    first: `${leading[0] ?? ''}.${group}`,
    versions: names
      .sort((a, b) => priorityOf(b).version - priorityOf(a).version || compareVersions(a, b))
      .map((version) => ({ version, resources: versions.get(version) ?? [] })),
  }
}

const registrationGroup = 'apiregistration.k8s.io'

const groupVersion = (group: string, version: string): string => (group === '' ? version : `${group}/${version}`)

const versionEntry = (group: string, version: string) => ({ groupVersion: groupVersion(group, version), version })

function groupEntry({ group, versions }: GroupVersions) {
  const entries = versions.map(({ version }) => versionEntry(group, version))
  return { name: group, versions: entries, preferredVersion: entries[0] }
}

export const apiVersions = (serverAddress: string): object => ({
  kind: 'APIVersions',
  versions: ['v1'],
  serverAddressByClientCIDRs: [{ clientCIDR: '0.0.0.0/0', serverAddress }],
})

export const apiGroupList = (registry: Registry): object => ({
  kind: 'APIGroupList',
  apiVersion: 'v1',
  groups: groupsOf(registry)
    .filter(({ group }) => group !== '')
    .map(groupEntry),
})

export function apiGroup(registry: Registry, name: string): object | undefined {
  const found = groupsOf(registry).find(({ group }) => group === name && group !== '')
  return found === undefined ? undefined : { kind: 'APIGroup', apiVersion: 'v1', ...groupEntry(found) }
}

/** Clients compare it to see whether two resources are kept as the same kind. */
function storageVersionHash({ bucket, custom, info }: Served): string | undefined {
  if (!info.verbs.includes('watch')) return undefined
  const { group, version } =
    custom === undefined ? (keptAs[bucket] ?? info) : { ...info, version: custom.storageVersion }
  if (version === undefined) return undefined
  const text = `${group}/${version}/${info.kind}`
  return createHash('sha256').update(text).digest().subarray(0, 8).toString('base64')
}

/** Resources that a real server keeps in another version than they are named after. */
const keptAs: Readonly<Record<string, Pick<ResourceInfo, 'group' | 'version'>>> = {
  events: { group: '', version: 'v1' },
  'customresourcedefinitions.apiextensions.k8s.io': { group: 'apiextensions.k8s.io', version: 'v1beta1' },
  'volumeattributesclasses.storage.k8s.io': { group: 'storage.k8s.io', version: 'v1beta1' },
  'horizontalpodautoscalers.autoscaling': { group: 'autoscaling', version: 'v2' },
  ...Object.fromEntries(
    ['deviceclasses', 'resourceclaims', 'resourceclaimtemplates', 'resourceslices'].map((resource) => [
      `${resource}.resource.k8s.io`,
      { group: 'resource.k8s.io', version: 'v1beta2' },
    ]),
  ),
}

const list = <K extends string>(key: K, values: readonly string[]) => (values.length === 0 ? {} : { [key]: values })

function resourceEntries(served: Served): readonly { readonly name: string }[] {
  const { info } = served
  const hash = storageVersionHash(served)
  const main = {
    name: info.resource,
    singularName: info.singular,
    namespaced: info.namespaced,
    kind: info.kind,
    verbs: info.verbs,
    ...list('shortNames', info.shortNames),
    ...list('categories', info.categories),
    ...(hash === undefined ? {} : { storageVersionHash: hash }),
  }
  const subresources = info.subresources.map(({ name, group, version, kind, verbs }) => ({
    name: `${info.resource}/${name}`,
    singularName: '',
    namespaced: info.namespaced,
    ...(group === '' ? {} : { group, version }),
    kind,
    verbs,
  }))
  return [main, ...subresources]
}

export function apiResourceList(registry: Registry, group: string, version: string): object | undefined {
  const found = groupsOf(registry)
    .find((one) => one.group === group)
    ?.versions.find((one) => one.version === version)
  if (found === undefined || found.resources.length === 0) return undefined
  const entries = found.resources.flatMap(resourceEntries)
  const isCustom = found.resources.some(({ custom }) => custom !== undefined)
  const resources = isCustom ? entries : entries.toSorted((a, b) => (a.name < b.name ? -1 : a.name > b.name ? 1 : 0))
  return {
    kind: 'APIResourceList',
    ...(group === '' ? {} : { apiVersion: 'v1' }),
    groupVersion: groupVersion(group, version),
    resources,
  }
}
