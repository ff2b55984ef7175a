// Kinds whose objects can be orphans: everything that has a namespace and can be watched, but for what Argo CD leaves out
// of its view by default because controllers make it by themselves.

import { servedKinds } from '#gitops/destinations'
import { CustomResourceDefinition, type Kind, resourceTable } from '#kinds'
import type { Cache } from '#reconcile'

const left = (group: string, ...kinds: readonly string[]): readonly string[] => kinds.map((kind) => `${group}/${kind}`)
const reports = ['PolicyReport', 'EphemeralReport', 'AdmissionReport', 'BackgroundScanReport', 'UpdateRequest']

const leftOut: ReadonlySet<string> = new Set([
  ...left('', 'Event', 'Endpoints'),
  ...left('events.k8s.io', 'Event'),
  ...left('discovery.k8s.io', 'EndpointSlice'),
  ...left('coordination.k8s.io', 'Lease'),
  ...left('cert-manager.io', 'CertificateRequest'),
  ...left('cilium.io', 'CiliumIdentity', 'CiliumEndpoint', 'CiliumEndpointSlice'),
  ...['kyverno.io', 'reports.kyverno.io', 'wgpolicyk8s.io'].flatMap((group) => left(group, ...reports)),
])

const idOf = ({ group, kind }: Pick<Kind, 'group' | 'kind'>): string => `${group}/${kind}`

/** Each kind in the first of its versions. */
export function orphanKinds(kinds: Iterable<Kind>): readonly Kind[] {
  const found = new Map<string, Kind>()
  for (const kind of kinds)
    if (kind.namespaced && !leftOut.has(idOf(kind)) && !found.has(idOf(kind))) found.set(idOf(kind), kind)
  return [...found.values()]
}

/** What the built-in cluster serves. */
export function* builtInKinds(cache: Cache): Iterable<Kind> {
  for (const { group, version, kind, resource, namespaced, verbs } of resourceTable)
    if (verbs.includes('list') && verbs.includes('watch')) yield { group, version, kind, resource, namespaced }
  for (const definition of cache.list(CustomResourceDefinition)) yield* servedKinds(definition)
}
