// The labels that tell a node's operating system and architecture by their old names too: whoever selects by those finds the
// node. Pure. Follows reconcileNodeLabels of Kubernetes' node lifecycle controller.

import type { Node } from '#kinds'

const oldNames: readonly (readonly [name: string, old: string])[] = [
  ['kubernetes.io/os', 'beta.kubernetes.io/os'],
  ['kubernetes.io/arch', 'beta.kubernetes.io/arch'],
]

/** Those that are to be set; undefined when all say what they should. */
export function missingLabels({ metadata: { labels = {} } }: Node): Readonly<Record<string, string>> | undefined {
  const missing = oldNames.flatMap(([name, old]) => {
    const value = labels[name]
    return value === undefined || labels[old] === value ? [] : [[old, value] as const]
  })
  return missing.length === 0 ? undefined : Object.fromEntries(missing)
}
