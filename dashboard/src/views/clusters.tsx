// The clusters that applications may deploy to, and whether they answer.

import { useLoaded } from '../api.ts'
import { Empty, ErrorNotice } from '../parts/notice.tsx'
import { Age } from '../parts/time.tsx'
import type { ClusterList, ShownCluster } from '../types.ts'

const everyMs = 5000

export function ClustersView() {
  const { value, error } = useLoaded<ClusterList>('/clusters', 0, everyMs)
  return (
    <>
      <div className="bar">
        <h1>Clusters</h1>
      </div>
      <p className="dim">
        Where applications may deploy to: the built-in cluster, those of cluster Secrets, and contexts that were named
        at the start.
      </p>
      <ErrorNotice error={error} />
      {value === undefined && error === undefined && <Empty>Loading …</Empty>}
      <div className="stack">
        {value?.items.map((cluster) => (
          <Cluster key={`${cluster.server} ${cluster.name}`} cluster={cluster} />
        ))}
      </div>
    </>
  )
}

const tones: Readonly<Record<string, string>> = { Successful: 'tone-good', Failed: 'tone-bad' }

function Cluster({ cluster }: { readonly cluster: ShownCluster }) {
  const { name, server, serverVersion, namespaces, project, connectionState, info } = cluster
  const { status, message, attemptedAt } = connectionState
  return (
    <section className="card" data-cluster={name}>
      <div className="row">
        <h2>{name}</h2>
        <span className={`badge ${tones[status] ?? 'tone-off'}`}>{status}</span>
      </div>
      <dl className="facts">
        <dt>Server</dt>
        <dd className="mono">{server === '' ? '–' : server}</dd>
        <dt>Version</dt>
        <dd>{serverVersion ?? '–'}</dd>
        <dt>Applications</dt>
        <dd>{info.applicationsCount}</dd>
        {info.cacheInfo !== undefined && (
          <>
            <dt>Watched objects</dt>
            <dd>{info.cacheInfo.resourcesCount}</dd>
          </>
        )}
        {namespaces !== undefined && (
          <>
            <dt>Namespaces</dt>
            <dd>{namespaces.join(', ')}</dd>
          </>
        )}
        {project !== undefined && (
          <>
            <dt>Project</dt>
            <dd>{project}</dd>
          </>
        )}
        {attemptedAt !== undefined && (
          <>
            <dt>Asked</dt>
            <dd>
              <Age time={attemptedAt} /> ago
            </dd>
          </>
        )}
      </dl>
      {message !== '' && <span className="small">{message}</span>}
    </section>
  )
}
