// What the metrics API is told that a node takes: the same that its kubelet goes by when it looks for pressure.

import { amountOf } from '#kinds'
import type { Floor } from '../fleet/floor.ts'
import { amountFrom } from '../node/signals.ts'
import type { Troubles } from '../node/troubles.ts'
import { memoryBeside } from '../pressure/measuring.ts'
import { runningIn } from '../usage/local-storage.ts'
import { logFigures } from '../usage/log-garbage.ts'
import type { NodeLoad } from '../usage/samples.ts'

/** What the kubelet of a node has done to make room, and how much log lies there. */
export interface NodeFigures {
  readonly node: string
  /** By signal. */
  readonly evictions: ReadonlyMap<string, number>
  readonly imagesFreed: number
  readonly bytesFreed: number
  /** Of the containers that run. */
  readonly logBytes: number
  readonly logRotations: number
}

export function figuresOf(name: string, floor: Floor, now: number): readonly NodeFigures[] {
  const place = floor.nodeNamed(name)
  if (place === undefined) return []
  const { evictions, freed } = place.runtime
  let logBytes = 0
  let logRotations = 0
  for (const pod of floor.podsOn(name))
    for (const { name: container, startedAt } of runningIn(pod.status ?? {})) {
      const { logs } = place.around.workloads.container(pod, container)
      const { bytes, rotations } = logFigures(logs, (now - startedAt) / 1000)
      logBytes += bytes
      logRotations += rotations
    }
  return [{ node: name, evictions, imagesFreed: freed.images, bytesFreed: freed.bytes, logBytes, logRotations }]
}

export function nodeLoad(
  name: string,
  floor: Floor,
  { troubles, now }: { readonly troubles: Troubles; readonly now: number },
): NodeLoad {
  const pods = floor.podsOn(name)
  const runtime = floor.nodeNamed(name)?.runtime
  const capacity = runtime?.object()?.status?.capacity?.['memory']
  if (runtime === undefined || capacity === undefined) return { name, pods }
  const memory = amountOf('memory', capacity)
  const left = troubles.shortagesOn(name).flatMap(({ available }) => {
    const value = available['memory.available']
    return value === undefined ? [] : [amountFrom(value, memory) ?? memory]
  })
  return {
    name,
    pods,
    besideBytes: Math.trunc(memoryBeside(runtime.facts(), memory, now)),
    leastBytes: memory - Math.min(memory, ...left),
  }
}
