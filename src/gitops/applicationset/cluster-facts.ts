// The clusters that generators may name: one for each cluster Secret of Argo CD, those that the operator named, and the
// built-in one.

import { builtInServer, Secret } from '#kinds'
import type { Cache } from '#reconcile'
import type { ClusterFacts } from './generators/generator.ts'

const clusterLabel = 'argocd.argoproj.io/secret-type'

export const isClusterSecret = ({ metadata }: Secret): boolean => metadata.labels?.[clusterLabel] === 'cluster'

export interface NamedCluster {
  readonly name: string
  readonly server: string
}

export function clusterFacts(
  cache: Cache,
  namespace: string,
  contexts: readonly NamedCluster[],
): readonly ClusterFacts[] {
  const described = cache
    .list(Secret, namespace)
    .filter(isClusterSecret)
    .map(({ metadata, data = {} }): ClusterFacts => {
      const text = (field: string): string => Buffer.from(data[field] ?? '', 'base64').toString('utf8')
      return {
        name: text('name'),
        server: text('server'),
        project: text('project'),
        labels: metadata.labels ?? {},
        annotations: metadata.annotations ?? {},
        implied: false,
      }
    })
    .sort((a, b) => (a.name < b.name ? -1 : 1))
  return [...described, ...[...contexts, builtIn].filter(isNew(described)).map(implied)]
}

const builtIn: NamedCluster = { name: 'in-cluster', server: builtInServer }

const isNew =
  (described: readonly ClusterFacts[]) =>
  ({ server }: NamedCluster): boolean =>
    !described.some((each) => each.server === server)

const implied = ({ name, server }: NamedCluster): ClusterFacts => ({
  ...{ name, server, project: '', labels: {}, annotations: {}, implied: true },
})
