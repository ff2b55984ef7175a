import { describe, expect, it } from 'vitest'
import type { Pod } from '#kinds'
import { formatTime } from '#objects'
import { defaultWorkloads } from '../profiles/default-workloads.ts'
import { nodeSample, podSample, usualUsage } from './samples.ts'

const start = Date.parse('2026-01-01T00:00:00Z')
const pod = (uid: string, requests: Record<string, string> = { cpu: '1', memory: '1Gi' }): Pod => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name: uid, namespace: 'default', uid },
  spec: { nodeName: 'node-0', containers: [{ name: 'app', image: 'nginx', resources: { requests } }] },
  status: {
    phase: 'Running',
    containerStatuses: [
      {
        name: 'app',
        ready: true,
        restartCount: 0,
        image: 'nginx',
        imageID: '',
        state: { running: { startedAt: formatTime(start) } },
      },
    ],
  },
})

describe('usage', () => {
  it.each(['a', 'b', 'c', 'd'])('of pod %s is a tenth to three tenths of its request, and steady', (uid) => {
    const usage = usualUsage(pod(uid), 'app')
    expect(usage.milliCpu).toBeGreaterThanOrEqual(100)
    expect(usage.milliCpu).toBeLessThanOrEqual(300)
    expect(usage.memoryBytes).toBeGreaterThanOrEqual(0.1 * 2 ** 30)
    expect(usage.memoryBytes).toBeLessThanOrEqual(0.3 * 2 ** 30)
    expect(usualUsage(pod(uid), 'app')).toEqual(usage)
  })

  it('is there from ten seconds after the start on', () => {
    expect(podSample(pod('a'), defaultWorkloads, start + 9000)).toBeUndefined()
    const sample = podSample(pod('a'), defaultWorkloads, start + 40_000)
    expect(sample?.windowMs).toBe(15_000)
    expect(sample?.at).toBeGreaterThan(start + 25_000)
    expect(podSample({ ...pod('a'), status: { phase: 'Pending' } }, defaultWorkloads, start + 40_000)).toBeUndefined()
  })

  it('is that of init containers and debugging containers, too, while they run', () => {
    const running = {
      ready: false,
      restartCount: 0,
      image: 'x',
      imageID: '',
      state: { running: { startedAt: formatTime(start) } },
    }
    const initial: Pod = {
      ...pod('a'),
      status: { phase: 'Pending', initContainerStatuses: [{ name: 'setup', ...running }] },
    }
    expect(podSample(initial, defaultWorkloads, start + 40_000)?.containers.map(({ name }) => name)).toEqual(['setup'])
    const debugged = {
      ...pod('a'),
      status: { ...pod('a').status, ephemeralContainerStatuses: [{ name: 'debug', ...running }] },
    }
    expect(podSample(debugged, defaultWorkloads, start + 40_000)?.containers.map(({ name }) => name)).toEqual([
      'app',
      'debug',
    ])
  })

  it('of containers that request nothing is a share of what their pod requests', () => {
    const names = ['a', 'b', 'c', 'd']
    const containers = names.map((name) => ({ name, image: 'nginx' }))
    const own = { name: 'own', image: 'nginx', resources: { requests: { cpu: '1' } } }
    const whole = { ...pod('a'), spec: { containers: [...containers, own], resources: { requests: { cpu: '5' } } } }
    for (const name of names) {
      expect(usualUsage(whole, name).milliCpu).toBeGreaterThanOrEqual(100)
      expect(usualUsage(whole, name).milliCpu).toBeLessThanOrEqual(300)
    }
  })

  it('is what the workload says, if it says so', () => {
    const workloads = { ...defaultWorkloads, usage: () => ({ milliCpu: 7, memoryBytes: 8 }) }
    const sample = podSample(pod('a'), workloads, start + 40_000)
    expect(sample?.containers).toEqual([{ name: 'app', usage: { milliCpu: 7, memoryBytes: 8 } }])
    const node = nodeSample({ name: 'node-0', pods: [pod('a'), pod('b')] }, workloads, start + 40_000).containers[0]
      ?.usage
    expect(node).toEqual({ milliCpu: 94, memoryBytes: 500 * 1024 * 1024 + 16 })
  })
})
