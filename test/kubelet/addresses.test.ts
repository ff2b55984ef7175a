// Addresses of pods: no two have one at the same time, whatever the API server or the process does meanwhile, and one that
// was given back is not given again at once.

import { afterEach, describe, expect, it } from 'vitest'
import { Pod } from '#kinds'
import { requestFaults } from '../support/faults.ts'
import { type NodeTest, namespace, nodeTest } from './cluster.ts'

let test: NodeTest

afterEach(() => test.stop())

/** What the range of a node has room for. */
const room = 253
const allocatable = { cpu: '64', memory: '256Gi', pods: '300' }
const limits = { limitMs: 600_000, everyMs: 1000 }

const listed = async (): Promise<readonly Pod[]> => (await test.client.list(Pod, { namespace })).items

const running = async (): Promise<number> => (await listed()).filter(({ status }) => status?.phase === 'Running').length

const addressOf = async (name: string): Promise<string> => (await test.get(name))?.status?.podIP ?? 'none'

const remove = (name: string): Promise<unknown> => test.client.delete(Pod, { namespace, name })

describe('a node whose range is used up', () => {
  it('begins a pod only when another has ended, and its end is known', async () => {
    const deaf = requestFaults(
      ({ resource, name, verb }) => resource?.resource === 'pods' && name === 'p-100' && verb !== 'get',
    )
    deaf.active = false
    test = await nodeTest({ nodes: { count: 1, allocatable }, instant: true, wrapLoops: deaf.wrap })
    for (let n = 0; n <= room; n += 1) await test.pod(`p-${n}`)
    await test.until(async () => (await running()) === room, limits)
    expect(new Set((await listed()).flatMap(({ status }) => status?.podIP ?? [])).size).toBe(room)
    const late = (await listed()).find(({ status }) => status?.phase === 'Pending')?.metadata.name ?? 'nobody'
    const [told] = (await test.events(late)).filter((text) => text.startsWith('FailedCreatePodSandBox'))
    expect(told?.replace(/"\w{64}"/, '<id>')).toBe(
      'FailedCreatePodSandBox: Failed to create pod sandbox: rpc error: code = Unknown desc = failed to setup network for ' +
        'sandbox <id>: plugin type="ptp" failed (add): failed to allocate for range 0: no IP addresses available in range ' +
        'set: 10.244.0.1-10.244.0.254',
    )

    const left = await addressOf('p-100')
    deaf.active = true
    await remove('p-100')
    test.machine.restart()
    await test.world.advance(300_000)
    expect([await addressOf('p-100'), await addressOf(late)]).toEqual([left, 'none'])

    deaf.active = false
    await test.until(() => test.isReady(late), limits)
    expect([await addressOf('p-100'), await addressOf(late)]).toEqual(['none', left])
  })
})

describe.each([
  ['a process', () => test.machine.restart()],
  ['a loop', () => test.machine.runtime.restartLoop('kubelet')],
] as const)('%s that begins anew', (_name, restart) => {
  it('gives the address that comes next, not one that was given back', async () => {
    test = await nodeTest()
    for (const name of ['a', 'b', 'c']) {
      await test.pod(name)
      await test.until(() => test.isReady(name))
    }
    const last = await addressOf('c')
    await remove('a')
    await test.until(async () => (await test.get('a')) === undefined)
    restart()
    await test.pod('d')
    await test.until(() => test.isReady('d'))
    const [host, ...net] = last.split('.').reverse()
    expect(await addressOf('d')).toBe([...net.reverse(), Number(host) + 1].join('.'))
  })
})
