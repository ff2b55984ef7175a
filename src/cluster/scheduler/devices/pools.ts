// Which devices a node can give: those of the newest generation of every complete pool whose slices mean the node.

import { type Device, matchesNodeSelector, type NodeSelector, ResourceSlice, type ResourceSliceSpec } from '#kinds'
import type { Cache, Index } from '#reconcile'
import type { NodeState } from '../node-state.ts'
import { deviceId } from './claims.ts'

export interface PooledDevice {
  readonly id: string
  readonly driver: string
  readonly pool: string
  readonly device: Device
  readonly slice: ResourceSliceSpec
}

export interface Pool {
  readonly driver: string
  readonly name: string
  readonly devices: readonly PooledDevice[]
  /** Not all of its slices are there: nothing can be said of all its devices. */
  readonly isIncomplete: boolean
}

const slicesByNode: Index<ResourceSlice> = {
  name: 'node',
  kind: ResourceSlice,
  values: ({ spec }) => [spec.nodeName ?? ''],
}

const slicesByPool: Index<ResourceSlice> = {
  name: 'pool',
  kind: ResourceSlice,
  values: ({ spec }) => [`${spec.driver}/${spec.pool.name}`],
}

/** Pools with their devices for a node, in the order of their names. */
export function poolsFor(node: NodeState, objects: Cache): readonly Pool[] {
  const near = [...objects.by(slicesByNode, node.name), ...objects.by(slicesByNode, '')]
  const pools = new Map<string, ResourceSliceSpec[]>()
  for (const { spec } of near) {
    if (!reaches(spec, node)) continue
    const key = `${spec.driver}/${spec.pool.name}`
    const slices = pools.get(key)
    if (slices === undefined) pools.set(key, [spec])
    else slices.push(spec)
  }
  return [...pools].sort(([a], [b]) => (a < b ? -1 : 1)).map(([key, slices]) => poolOf(key, slices, { node, objects }))
}

function poolOf(
  key: string,
  slices: readonly ResourceSliceSpec[],
  { node, objects }: { readonly node: NodeState; readonly objects: Cache },
): Pool {
  const all = objects.by(slicesByPool, key)
  const newest = Math.max(...all.map(({ spec }) => spec.pool.generation))
  const current = all.filter(({ spec }) => spec.pool.generation === newest)
  const isIncomplete = current.length !== current[0]?.spec.pool.resourceSliceCount
  const devices = slices
    .filter(({ pool }) => pool.generation === newest)
    .flatMap((slice) =>
      (slice.devices ?? []).flatMap((device): readonly PooledDevice[] => {
        if (slice.perDeviceNodeSelection === true && !means(device, node)) return []
        const { driver, pool } = slice
        return [{ id: deviceId(driver, pool.name, device.name), driver, pool: pool.name, device, slice }]
      }),
    )
  const [driver = '', name = ''] = [slices[0]?.driver, slices[0]?.pool.name]
  return { driver, name, devices, isIncomplete }
}

const reaches = (slice: ResourceSliceSpec, node: NodeState): boolean =>
  slice.perDeviceNodeSelection === true || means(slice, node)

interface Selecting {
  readonly nodeName?: string
  readonly allNodes?: boolean
  readonly nodeSelector?: NodeSelector
}

function means({ nodeName = '', allNodes, nodeSelector }: Selecting, { name, node }: NodeState): boolean {
  if (nodeName !== '') return nodeName === name
  if (allNodes === true) return true
  return nodeSelector !== undefined && node !== undefined && matchesNodeSelector(nodeSelector, node)
}
