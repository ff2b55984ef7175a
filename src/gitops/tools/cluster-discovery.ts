// What a cluster serves, in the words of Kubernetes' discovery, as far as helm asks for it: groups, versions and kinds. A kind
// stands where its resource would, and all are said to have namespaces: questions come back as they were asked. Pure.

import { type ApiKind, readApiVersion } from './lookup.ts'

const verbs = ['get', 'list']

/** Of `/api` (the core group) and `/apis` (all others). */
export function groupList(apiVersions: readonly string[], path: '/api' | '/apis'): object {
  const groups = new Map<string, Map<string, ApiKind[]>>()
  for (const each of apiVersions.map(readApiVersion)) {
    if ((each.group === '') !== (path === '/api')) continue
    const versions = groups.get(each.group) ?? new Map<string, ApiKind[]>()
    groups.set(each.group, versions.set(each.version, [...(versions.get(each.version) ?? []), each]))
  }
  const items = [...groups].map(([name, versions]) => ({
    metadata: { name },
    versions: [...versions].map(([version, kinds]) => ({
      version,
      freshness: 'Current',
      resources: kinds.filter(({ kind }) => kind !== '').map(discovered),
    })),
  }))
  return { kind: 'APIGroupDiscoveryList', apiVersion: 'apidiscovery.k8s.io/v2', metadata: {}, items }
}

const discovered = (kind: ApiKind): object => ({
  resource: kind.kind,
  responseKind: kind,
  scope: 'Namespaced',
  singularResource: kind.kind,
  verbs,
})

/** Of `/api/VERSION` and `/apis/GROUP/VERSION`; undefined: it is not served. */
export function resourceList(served: readonly string[], groupVersion: string): object | undefined {
  const kinds = served
    .filter((text) => text === groupVersion || text.startsWith(`${groupVersion}/`))
    .map(readApiVersion)
    .filter(({ group, version }) => (group === '' ? version : `${group}/${version}`) === groupVersion)
  if (kinds.length === 0) return undefined
  const resources = kinds
    .filter(({ kind }) => kind !== '')
    .map(({ kind }) => ({ name: kind, singularName: kind, namespaced: true, kind, verbs }))
  return { kind: 'APIResourceList', apiVersion: 'v1', groupVersion, resources }
}

/** Of `/version`; as helm reads a version that it is given, `1.30` is `1.30.0`, and so is `1.30.0-gke.1`. */
export function versionInfo(kubeVersion: string): object {
  const [, major = '', minor = '0', patch = '0'] = /^v?(\d+)(?:\.(\d+))?(?:\.(\d+))?/.exec(kubeVersion) ?? []
  return { major, minor, gitVersion: `v${major}.${minor}.${patch}` }
}
