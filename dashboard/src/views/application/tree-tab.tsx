// The resource tree: the application, what it manages, and what the loops made of that, down to pods and endpoint slices.

import { useState } from 'react'
import { useLoaded, useStream } from '../../api.ts'
import { ErrorNotice } from '../../parts/notice.tsx'
import { toneOf } from '../../parts/status.tsx'
import { Age } from '../../parts/time.tsx'
import { href } from '../../route.ts'
import type { Application, Tree, TreeNode } from '../../types.ts'
import { resourceKey } from './resource-key.ts'
import type { TabProps } from './tab.ts'
import { layoutTree, nodeHeight, nodeWidth, type Placed } from './tree-layout.ts'

/** The tree, loaded once and then kept current by its stream. */
function useTree(name: string): { readonly tree: Tree | undefined; readonly error: Error | undefined } {
  const first = useLoaded<Tree>(`/applications/${encodeURIComponent(name)}/resource-tree`)
  const [newest, setNewest] = useState<Tree>()
  useStream<Tree>(`/stream/applications/${encodeURIComponent(name)}/resource-tree`, setNewest)
  return { tree: newest ?? first.value, error: first.error }
}

const edge = ({ x, y, parent }: Placed): string => {
  if (parent === undefined) return ''
  const [fromX, fromY, toY] = [parent.x + nodeWidth, parent.y + nodeHeight / 2, y + nodeHeight / 2]
  const middle = (fromX + x) / 2
  return `M${fromX},${fromY} C${middle},${fromY} ${middle},${toY} ${x},${toY}`
}

function Node({ placed, application }: { readonly placed: Placed; readonly application: Application }) {
  const { node, x, y, id } = placed
  const managed = application.status?.resources?.find((item) => resourceKey(item) === resourceKey(node))
  const drifted = managed !== undefined && managed.status !== 'Synced'
  const health = node.health?.status ?? managed?.health?.status
  const facts = [...(node.info ?? []).map(({ value }) => value), ...(drifted ? [managed.status ?? ''] : [])].filter(
    (fact) => fact !== '',
  )
  const target =
    id === 'application'
      ? href(['applications', application.metadata.name])
      : href(['applications', application.metadata.name], { tab: 'tree', resource: resourceKey(node) })
  return (
    <a
      className={`node tone-line-${health === undefined ? 'off' : toneOf(health)}${drifted ? ' drifted' : ''}`}
      style={{ left: x, top: y }}
      href={target}
      title={`${node.kind} ${node.name}${health === undefined ? '' : `: ${health}`}${node.health?.message ? ` (${node.health.message})` : ''}`}
      data-kind={node.kind}
      data-name={node.name}
    >
      <span className="top">
        <span>{node.kind}</span>
        <span>{health ?? ''}</span>
      </span>
      <span className="label">{node.name}</span>
      <span className="top">
        <span>{facts.join(' · ')}</span>
        {node.createdAt !== undefined && <Age time={node.createdAt} />}
      </span>
    </a>
  )
}

export function ResourceTree({ application }: TabProps) {
  const { tree, error } = useTree(application.metadata.name)
  const self: TreeNode = {
    kind: 'Application',
    name: application.metadata.name,
    health: application.status?.health ?? {},
    info: [{ name: 'sync', value: application.status?.sync?.status ?? '' }],
  }
  const layout = layoutTree(self, tree ?? {})
  return (
    <>
      <ErrorNotice error={error} />
      <div className="tree">
        <div className="canvas" style={{ width: layout.width, height: layout.height }}>
          <svg width={layout.width} height={layout.height} aria-hidden="true">
            {layout.placed.map((placed) =>
              placed.parent === undefined ? null : <path key={placed.id} d={edge(placed)} />,
            )}
          </svg>
          {layout.placed.map((placed) => (
            <Node key={placed.id} placed={placed} application={application} />
          ))}
        </div>
      </div>
      {layout.hidden > 0 && (
        <p className="dim small">
          {layout.hidden} more are not drawn: only the first thirty children of an object are.
        </p>
      )}
    </>
  )
}
