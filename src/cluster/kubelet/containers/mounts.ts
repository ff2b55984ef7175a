// Why the mounts of a container cannot be made (kubelet_pods.go, makeMounts): paths inside of volumes that are written with
// variables, and what the runtime cannot do. Pure.

import type { Container, EphemeralContainer, VolumeMount } from '#kinds'
import { goQuote } from '../ground/go-text.ts'

interface Mounting {
  /** Whether the runtime can mount recursively read-only. */
  readonly recursion: boolean
  /** Variables of the container; asked for only where a path is written with them. */
  readonly variables: () => ReadonlyMap<string, string>
}

export function mountFault(
  { volumeMounts = [] }: Container | EphemeralContainer,
  { recursion, variables }: Mounting,
): string | undefined {
  for (const mount of volumeMounts) {
    const fault =
      (recursion ? undefined : readOnlyFault(mount)) ??
      (mount.subPathExpr ? pathFault(mount.subPathExpr, variables()) : undefined)
    if (fault !== undefined) return fault
  }
  return undefined
}

function readOnlyFault({ name, recursiveReadOnly }: VolumeMount): string | undefined {
  if (recursiveReadOnly !== 'Enabled') return undefined
  const what = `volume ${goQuote(name)} requested recursive read-only mode`
  return `failed to resolve recursive read-only mode: ${what}, but it is not supported by the runtime`
}

function pathFault(expression: string, variables: ReadonlyMap<string, string>): string | undefined {
  const missing = new Set<string>()
  const path = expression.replace(/\$\$|\$\(([^)]*)\)/g, (_whole, name: string | undefined) => {
    if (name === undefined) return '$'
    const value = variables.get(name) ?? ''
    if (value === '') missing.add(name)
    return value
  })
  if (missing.size > 0) return `missing value for ${[...missing].sort().join(', ')}`
  if (path.startsWith('/')) return `error SubPath \`${path}\` must not be an absolute path`
  return path.split('/').includes('..') ? `unable to provision SubPath \`${path}\`: must not contain '..'` : undefined
}
