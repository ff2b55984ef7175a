// Lifecycle hooks that take longer than they are given, hooks and probes that cannot be carried out: what the container, the
// pod and the kubelet make of them.

import { afterEach, describe, expect, it } from 'vitest'
import type { Container } from '#kinds'
import { Pod } from '#kinds'
import { type NodeTest, namespace, nodeTest } from './cluster.ts'

let test: NodeTest

afterEach(() => test.stop())

const app = (lifecycle: Container['lifecycle']): { readonly containers: readonly Container[] } => ({
  containers: [{ name: 'app', image: 'nginx', ...(lifecycle === undefined ? {} : { lifecycle }) }],
})

const waiting = async (name: string) => (await test.get(name))?.status?.containerStatuses?.[0]?.state?.waiting

const reasons = async (name: string): Promise<readonly string[]> =>
  (await test.events(name)).map((text) => text.replace(/:.*/s, ''))

const remove = (name: string, gracePeriodSeconds = 30) =>
  test.client.delete(Pod, { namespace, name }, { gracePeriodSeconds })

describe('a probe', () => {
  it.each([{ httpGet: { path: '/', port: 'admin' } }, { tcpSocket: { port: 'admin' } }])(
    'of a port that its container does not have cannot be carried out',
    async (probe) => {
      test = await nodeTest()
      const [container] = app(undefined).containers
      await test.pod('web', { containers: [{ name: 'app', image: 'nginx', ...container, readinessProbe: probe }] })
      await test.world.advance(30_000)
      expect(await test.isReady('web')).toBe(false)
      expect(await test.events('web')).toContain(
        'Unhealthy: Readiness probe errored and resulted in unknown state: strconv.Atoi: parsing "admin": invalid syntax',
      )
    },
  )
})

describe('a postStart hook', () => {
  it('that fails ends its container, and says how', async () => {
    test = await nodeTest()
    await test.profile('fails', {
      match: { images: ['nginx'] },
      container: { hooks: { postStart: { result: 'error', seconds: 0.1, exitCode: 3, output: 'no\n' } } },
    })
    await test.pod('web', app({ postStart: { exec: { command: ['sh', '-c', 'exit 3'] } } }))
    await test.until(async () => (await waiting('web'))?.reason === 'PostStartHookError')
    const { uid } = (await test.get('web'))?.metadata ?? {}
    expect((await waiting('web'))?.message).toBe(
      `Exec lifecycle hook ([sh -c exit 3]) for Container "app" in Pod "web_demo(${uid})" failed - error: ` +
        `command 'sh -c exit 3' exited with 3: no\n, message: "no\\n"`,
    )
    expect(await test.events('web')).toContain('FailedPostStartHook: PostStartHook failed')
    expect(await test.events('web')).toContain('Killing: FailedPostStartHook')
  })

  it('that asks for a port which its container does not have fails', async () => {
    test = await nodeTest()
    await test.pod('web', app({ postStart: { httpGet: { path: '/', port: 'admin' } } }))
    await test.until(async () => (await waiting('web'))?.reason === 'PostStartHookError')
    expect((await waiting('web'))?.message).toMatch(
      /^HTTP lifecycle hook \(\/\) for .* failed - error: strconv.Atoi: parsing "admin": invalid syntax$/,
    )
  })

  it('cannot connect to a port', async () => {
    test = await nodeTest()
    await test.pod('web', app({ postStart: { tcpSocket: { port: 80 } } }))
    await test.until(async () => (await waiting('web'))?.reason === 'PostStartHookError')
    expect((await waiting('web'))?.message).toBe(
      'Cannot run handler: invalid handler: &LifecycleHandler{Exec:nil,HTTPGet:nil,' +
        'TCPSocket:&TCPSocketAction{Port:{0 80 },Host:,},Sleep:nil,}',
    )
  })

  it('ends with its container', async () => {
    test = await nodeTest()
    await test.profile('crash', {
      match: { images: ['nginx'] },
      container: { runs: [{ exitCode: 1, afterSeconds: 3 }] },
    })
    await test.pod('web', app({ postStart: { exec: { command: ['sleep', '60'] } } }))
    await test.until(async () => (await waiting('web'))?.reason === 'PostStartHookError', { limitMs: 10_000 })
    expect((await waiting('web'))?.message).toContain("command 'sleep 60' exited with 137")
  })

  it('is waited for when the pod is deleted', async () => {
    test = await nodeTest()
    await test.pod('web', app({ postStart: { sleep: { seconds: 20 } } }))
    await test.world.advance(8000)
    await remove('web')
    await test.world.advance(8000)
    expect(await test.get('web')).toBeDefined()
    await test.until(async () => (await test.get('web')) === undefined, { limitMs: 10_000 })
    expect(await reasons('web')).not.toContain('FailedPostStartHook')
  })
})

describe('a pull', () => {
  it('goes on when its pod is deleted: the container starts, and is ended', async () => {
    test = await nodeTest()
    await test.profile('large', { match: { images: ['nginx'] }, image: { pulls: [{ seconds: 20 }] } })
    await test.pod('web')
    await test.world.advance(8000)
    await remove('web')
    await test.until(async () => (await test.get('web')) === undefined, { limitMs: 20_000 })
    expect(await reasons('web')).toEqual(['Scheduled', 'Pulling', 'Pulled', 'Created', 'Started', 'Killing'])
  })
})

describe('a preStop hook', () => {
  it('longer than the grace period is broken off when its container ends', async () => {
    test = await nodeTest()
    await test.pod('web', app({ preStop: { exec: { command: ['sleep', '60'] } } }))
    await test.until(() => test.isReady('web'))
    const begunAt = test.world.clock.now()
    await remove('web', 4)
    await test.until(async () => (await test.get('web')) === undefined)
    expect(test.world.clock.now() - begunAt).toBeLessThan(7000)
    expect(await reasons('web')).toContain('FailedPreStopHook')
  })

  it('is taken to last as long as its command says', async () => {
    test = await nodeTest()
    await test.pod('web', app({ preStop: { exec: { command: ['/bin/sh', '-c', 'sleep 15; nginx -s quit'] } } }))
    await test.until(() => test.isReady('web'))
    const begunAt = test.world.clock.now()
    await remove('web')
    await test.until(async () => (await test.get('web')) === undefined)
    expect(test.world.clock.now() - begunAt).toBeGreaterThan(15_000)
    expect(await reasons('web')).not.toContain('FailedPreStopHook')
  })
})
