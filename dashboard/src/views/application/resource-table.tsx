// The resources that the application manages, as a table; below it what lies about in its namespace and belongs to nobody.

import { useLoaded } from '../../api.ts'
import { Empty } from '../../parts/notice.tsx'
import { Badge } from '../../parts/status.tsx'
import { go } from '../../route.ts'
import type { Tree } from '../../types.ts'
import { resourceKey } from './resource-key.ts'
import type { TabProps } from './tab.ts'

export function ResourceTable(props: TabProps) {
  return (
    <>
      <ManagedResources {...props} />
      <OrphanedResources {...props} />
    </>
  )
}

/** Nothing where the project does not want to know of them. */
function OrphanedResources({ application, version }: TabProps) {
  const { value } = useLoaded<Tree>(
    `/applications/${encodeURIComponent(application.metadata.name)}/resource-tree`,
    version,
  )
  const orphans = value?.orphanedNodes ?? []
  if (orphans.length === 0) return null
  return (
    <section data-orphans>
      <h2 style={{ margin: '14px 0 6px' }}>Orphaned resources</h2>
      <div className="scroll">
        <table>
          <thead>
            <tr>
              <th>Kind</th>
              <th>Name</th>
              <th>Namespace</th>
              <th>Health</th>
            </tr>
          </thead>
          <tbody>
            {orphans.map((item) => (
              <tr key={resourceKey(item)}>
                <td>{item.kind}</td>
                <td>{item.name}</td>
                <td>{item.namespace}</td>
                <td>{item.health?.status !== undefined && <Badge word={item.health.status} />}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </section>
  )
}

function ManagedResources({ application }: TabProps) {
  const resources = application.status?.resources ?? []
  if (resources.length === 0) return <Empty>This application manages nothing.</Empty>
  const open = (key: string): void =>
    go(['applications', application.metadata.name], { tab: 'resources', resource: key })
  return (
    <div className="scroll">
      <table className="lines">
        <thead>
          <tr>
            <th>Kind</th>
            <th>Name</th>
            <th>Namespace</th>
            <th className="num">Wave</th>
            <th>Sync</th>
            <th>Health</th>
            <th>Message</th>
          </tr>
        </thead>
        <tbody>
          {resources.map((item) => (
            <tr key={resourceKey(item)} className="click" onClick={() => open(resourceKey(item))}>
              <td>{item.kind}</td>
              <td>
                <a
                  href={`#/applications/${encodeURIComponent(application.metadata.name)}?tab=resources&resource=${encodeURIComponent(resourceKey(item))}`}
                >
                  {item.name}
                </a>
              </td>
              <td>{item.namespace}</td>
              <td className="num detail">{item.syncWave ?? 0}</td>
              <td>
                <Badge word={item.status} />{' '}
                {item.requiresPruning === true && <span className="small dim">requires pruning</span>}
              </td>
              <td>
                {item.health?.status === undefined ? (
                  <span className="dim">–</span>
                ) : (
                  <Badge word={item.health.status} />
                )}
              </td>
              <td className="small whole">{item.health?.message}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  )
}
