// Places the resource tree: columns by depth, children beside their parent, no two nodes in one place. Pure.

import type { Tree, TreeNode } from '../../types.ts'

export interface Placed {
  readonly node: TreeNode
  readonly id: string
  readonly x: number
  readonly y: number
  readonly parent: { readonly x: number; readonly y: number } | undefined
}

export interface Layout {
  readonly placed: readonly Placed[]
  readonly width: number
  readonly height: number
  /** Nodes left out because their parent has too many. */
  readonly hidden: number
}

export const nodeWidth = 228
export const nodeHeight = 72
const columnGap = 56
const rowGap = 12
/** More children of one kind than this are counted, not drawn: a tree of 5,000 pods helps nobody. */
const childrenShown = 30

const idOf = (ref: {
  readonly uid?: string
  readonly group?: string
  readonly kind: string
  readonly namespace?: string
  readonly name: string
}): string => ref.uid ?? `${ref.group ?? ''}/${ref.kind}/${ref.namespace ?? ''}/${ref.name}`

const kindOrder = [
  'Application',
  'Namespace',
  'Deployment',
  'StatefulSet',
  'DaemonSet',
  'CronJob',
  'Job',
  'ReplicaSet',
  'Pod',
  'Service',
  'EndpointSlice',
  'Endpoints',
]
const rank = (kind: string): number => (kindOrder.includes(kind) ? kindOrder.indexOf(kind) : kindOrder.length)
const order = (a: TreeNode, b: TreeNode): number =>
  rank(a.kind) - rank(b.kind) || a.kind.localeCompare(b.kind) || a.name.localeCompare(b.name)

/** The tree under the application itself, which stands alone in the first column. */
export function layoutTree(application: TreeNode, tree: Tree): Layout {
  const nodes = [...(tree.nodes ?? [])].sort(order)
  const ids = new Set(nodes.map(idOf))
  const children = new Map<string, TreeNode[]>()
  for (const node of nodes) {
    const parent = node.parentRefs?.map(idOf).find((id) => ids.has(id)) ?? ''
    children.set(parent, [...(children.get(parent) ?? []), node])
  }
  const placed: Placed[] = []
  let nextRow = 0
  let depthMax = 0
  let hidden = 0
  const x = (depth: number): number => depth * (nodeWidth + columnGap)
  const place = (node: TreeNode, id: string, depth: number, seen: ReadonlySet<string>): Placed => {
    depthMax = Math.max(depthMax, depth)
    const own = (children.get(id) ?? []).filter((child) => !seen.has(idOf(child)))
    hidden += Math.max(0, own.length - childrenShown)
    const below = own
      .slice(0, childrenShown)
      .map((child) => place(child, idOf(child), depth + 1, new Set([...seen, idOf(child)])))
    // Beside its first child: the top of the tree, where reading begins, is where the application is.
    const y = below[0]?.y ?? nextRow++ * (nodeHeight + rowGap)
    const result = { node, id: id === '' ? 'application' : id, x: x(depth), y, parent: undefined }
    placed.push(result)
    for (const child of below) {
      const at = placed.indexOf(child)
      placed[at] = { ...child, parent: { x: result.x, y } }
    }
    return result
  }
  place(application, '', 0, new Set())
  return { placed, width: x(depthMax) + nodeWidth, height: Math.max(1, nextRow) * (nodeHeight + rowGap), hidden }
}
