import { describe, expect, it } from 'vitest'
import type { PersistentVolume, Pod, PodStatus } from '#kinds'
import { decideRecycle, recyclerPod } from './recycle.ts'

const at = (second: number): string => new Date(Date.UTC(2026, 0, 1, 0, 0, second)).toISOString().replace('.000Z', 'Z')
const ms = (second: number): number => Date.UTC(2026, 0, 1, 0, 0, second)

const volume = (phase: 'Released' | 'Failed', since = 10): PersistentVolume => ({
  apiVersion: 'v1',
  kind: 'PersistentVolume',
  metadata: { name: 'v' },
  spec: { capacity: { storage: '5Gi' }, accessModes: ['ReadWriteOnce'], hostPath: { path: '/data' } },
  status: { phase, lastPhaseTransitionTime: at(since) },
})

function recycler(second: number, status: PodStatus = {}): Pod {
  const made = recyclerPod(volume('Released'))
  return { ...made, metadata: { ...made.metadata, creationTimestamp: at(second) }, status }
}

const user = (name: string, phase: string): Pod => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name, namespace: 'demo' },
  spec: { containers: [] },
  status: { phase } as PodStatus,
})

const of = (
  one: PersistentVolume,
  { pod, users = [], isClaimThere = false }: { pod?: Pod; users?: readonly Pod[]; isClaimThere?: boolean } = {},
) => ({ volume: one, recycler: pod, users, isClaimThere })

const failure = (message: string) => ({
  type: 'clear',
  failure: { type: 'Warning', reason: 'VolumeFailedRecycle', message: `Recycle failed: ${message}` },
})

describe('a volume that is to be recycled', () => {
  it('gets a pod, unless pods of its claim still run', () => {
    expect(decideRecycle(of(volume('Released')), ms(10))).toEqual({ type: 'start' })
    const users = [user('b', 'Running'), user('a', 'Pending'), user('c', 'Succeeded')]
    expect(decideRecycle(of(volume('Released'), { users }), ms(10))).toEqual({
      type: 'inUse',
      happening: {
        type: 'Normal',
        reason: 'VolumeFailedRecycle',
        message: 'Volume is used by pods: demo/a,demo/b',
      },
    })
    // A new claim of that name has another volume, and so have the pods.
    expect(decideRecycle(of(volume('Released'), { users, isClaimThere: true }), ms(10))).toEqual({ type: 'start' })
  })

  it.each<[string, Pod, unknown]>([
    ['begins', recycler(10), { type: 'wait' }],
    ['runs', recycler(12, { phase: 'Running' }), { type: 'wait' }],
    ['is done', recycler(12, { phase: 'Succeeded' }), { type: 'recycled' }],
    ['fails', recycler(12, { phase: 'Failed', message: 'too slow' }), failure('failed to recycle volume: too slow')],
    [
      'fails without a word',
      recycler(12, { phase: 'Failed' }),
      failure('failed to recycle volume: pod failed, pod.Status.Message unknown'),
    ],
    ['is older', recycler(9, { phase: 'Succeeded' }), failure('old recycler pod found, will retry later')],
    [
      'empties something else',
      { ...recycler(12, { phase: 'Succeeded' }), spec: { ...recycler(12).spec, volumes: [] } },
      failure('old recycler pod found, will retry later'),
    ],
  ])('goes by its pod, which %s', (_name, pod, step) => {
    expect(decideRecycle(of(volume('Released'), { pod }), ms(20))).toEqual(step)
  })

  it('is tried again every 15 s after it has failed', () => {
    const steps = [10, 24, 25, 26, 27, 39, 40].map((second) => decideRecycle(of(volume('Failed')), ms(second)))
    expect(steps.map((step) => (step.type === 'wait' ? step.ms : step.type))).toEqual([
      15_000,
      1000,
      'start',
      'start',
      13_000,
      1000,
      'start',
    ])
  })

  it('has so long for each gibibyte, but not too little', () => {
    const deadline = (storage: string, source: object) =>
      recyclerPod({ ...volume('Released'), spec: { capacity: { storage }, ...source } }).spec.activeDeadlineSeconds
    const nfs = { nfs: { server: 's', path: '/p' } }
    const hostPath = { hostPath: { path: '/p' } }
    expect([deadline('1Gi', hostPath), deadline('2999Mi', hostPath), deadline('10Gi', hostPath)]).toEqual([60, 60, 300])
    expect([deadline('9Gi', nfs), deadline('11Gi', nfs)]).toEqual([300, 330])
  })
})
