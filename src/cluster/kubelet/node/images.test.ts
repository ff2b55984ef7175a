import { describe, expect, it } from 'vitest'
import { usualTimings } from '../ground/timings.ts'
import type { Workloads } from '../workload/workload.ts'
import { NodeImages } from './images.ts'

const workloads: Workloads = {
  container: () => ({ runs: [] }),
  pod: () => ({}),
  image: (name) => ({ pulls: [{ seconds: name.startsWith('slow') ? 10 : 2, result: 'ok', sizeBytes: 50_000_000 }] }),
}

const none = Number.POSITIVE_INFINITY

const imagesOf = (ways: { readonly maxParallel?: number; readonly bytesPerSecond?: number } = {}): NodeImages =>
  new NodeImages(workloads, usualTimings, () => ({ maxParallel: none, bytesPerSecond: none, ...ways }))

const times = ({ waitMs, ms }: { readonly waitMs: number; readonly ms: number }) => [waitMs, ms]

describe('pulls of a node', () => {
  it('run side by side', () => {
    const images = imagesOf()
    expect(times(images.pull('slow:1', 0))).toEqual([0, 10_000])
    expect(times(images.pull('fast:1', 0))).toEqual([0, 2000])
  })

  it('leave images that are called by their digest, too', () => {
    const digest = `sha256:${'a'.repeat(64)}`
    const [byDigest, byTag] = [`registry.example/app@${digest}`, 'registry.example/app:1']
    expect(imagesOf().namesOf(byDigest)).toEqual([byDigest])
    expect(imagesOf().namesOf(byTag)).toEqual([expect.stringMatching(/^registry\.example\/app@sha256:/), byTag])
  })

  it('share a download of the same image', () => {
    const images = imagesOf()
    images.pull('slow:1', 0)
    expect(times(images.pull('docker.io/library/slow:1', 4000))).toEqual([0, 6000])
  })

  it('wait for their turn where only so many may run', () => {
    const one = imagesOf({ maxParallel: 1 })
    expect(times(one.pull('slow:1', 0))).toEqual([0, 10_000])
    expect(times(one.pull('fast:1', 1000))).toEqual([9000, 2000])
    expect(times(one.pull('fast:2', 1000))).toEqual([11_000, 2000])
    const two = imagesOf({ maxParallel: 2 })
    two.pull('slow:1', 0)
    two.pull('fast:1', 0)
    expect(times(two.pull('fast:2', 0))).toEqual([2000, 2000])
    expect(times(two.pull('fast:3', 20_000))).toEqual([0, 2000])
  })

  it('take as long as the network needs for their bytes', () => {
    expect(times(imagesOf({ bytesPerSecond: 10_000_000 }).pull('fast:1', 0))).toEqual([0, 5000])
    expect(times(imagesOf({ bytesPerSecond: 1_000_000_000 }).pull('fast:1', 0))).toEqual([0, 2000])
  })
})
