// The clusters that generators may name: the built-in one, and one for each cluster Secret of Argo CD.

import { builtInServer, Secret } from '#kinds'
import type { Cache } from '#reconcile'
import type { ClusterFacts } from './generators/generator.ts'

const clusterLabel = 'argocd.argoproj.io/secret-type'

export const isClusterSecret = ({ metadata }: Secret): boolean => metadata.labels?.[clusterLabel] === 'cluster'

export function clusterFacts(cache: Cache, namespace: string): readonly ClusterFacts[] {
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
  if (described.some(({ server }) => server === builtInServer)) return described
  const builtIn = { name: 'in-cluster', server: builtInServer, project: '', labels: {}, annotations: {}, implied: true }
  return [...described, builtIn]
}
