// Logs of containers as their commands write them, in virtual time.

import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { ConfigMap, type Container, Namespace, Pod, ServiceAccount } from '#kinds'
import { startMachine, type TestMachine } from '../support/machine.ts'

const namespace = 'demo'
let test: TestMachine

beforeEach(async () => {
  test = startMachine({ nodes: 1, instant: true })
  await test.client.create(Namespace, { apiVersion: 'v1', kind: 'Namespace', metadata: { name: namespace }, spec: {} })
  await test.until(async () => (await test.find(ServiceAccount, { namespace, name: 'default' })) !== undefined)
})
afterEach(() => test.stop())

const create = (container: Partial<Container>): Promise<Pod> =>
  test.client.create(Pod, {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name: 'p', namespace },
    spec: { restartPolicy: 'Never', containers: [{ name: 'app', image: 'busybox:1.36', ...container }] },
  })

const stateOf = async () =>
  (await test.client.get(Pod, { namespace, name: 'p' })).status?.containerStatuses?.[0]?.state ?? {}

async function logOf(options: { readonly follow?: boolean; readonly timestamps?: boolean } = {}): Promise<string> {
  const pod = await test.client.get(Pod, { namespace, name: 'p' })
  const request = { container: 'app', follow: false, previous: false, timestamps: false, ...options }
  const { kubelet } = test.machine.residents
  let log = ''
  for await (const text of kubelet?.logs(pod, request, new AbortController().signal) ?? []) log += text
  return log
}

async function ended(container: Partial<Container>): Promise<string> {
  await create(container)
  await test.until(async () => (await stateOf()).terminated !== undefined)
  return logOf()
}

const shell = (script: string): readonly string[] => ['sh', '-c', script]

describe('what a command writes', () => {
  it.each<[string, Partial<Container>, string]>([
    ['a program', { command: ['hostname'] }, 'p\n'],
    ['arguments of an image that has no command of its own', { args: ['echo', 'a', 'b'] }, 'a b\n'],
    ['variables of the shell', { command: shell('echo $A $HOSTNAME'), env: [{ name: 'A', value: 'x' }] }, 'x p\n'],
    ['references in the manifest', { command: ['echo', '$(A) $(B)'], env: [{ name: 'A', value: 'x' }] }, 'x $(B)\n'],
    [
      'what another command prints',
      { command: shell('echo "I am $(hostname)"; ls /nowhere || true') },
      'I am p\nls: /nowhere: No such file or directory\n',
    ],
    ['what goes on is cut off with it', { command: shell('until [ -f /x ]; do echo w; sleep 1; done') }, 'w\n'],
    ['a loop over words', { command: shell('for i in 1 2 3; do echo "n $i"; sleep 1; done') }, 'n 1\nn 2\nn 3\n'],
    [
      'branches and sums',
      {
        command: shell(
          'i=1; while [ $i -lt 9 ]; do i=$((i * 2)); if [ $i = 4 ]; then continue; elif [ $i = 8 ]; then break; else echo $i; fi; done; echo $i',
        ),
      },
      '2\n8\n',
    ],
    ['a function, as far as it is surely said', { command: shell('f() { echo in f; }; echo a') }, 'a\n'],
    [
      'only what is surely said, where a program is not known',
      { command: shell('echo a; wget http://b; echo c') },
      'a\nc\n',
    ],
    ['nothing of an image that has a command', { image: 'example.com/app', args: ['hostname'] }, ''],
  ])('%s', async (_name, container, log) => {
    expect(await ended(container)).toBe(log)
  })

  it('files of volumes', async () => {
    const data = { colour: 'blue\n' }
    await test.client.create(ConfigMap, {
      apiVersion: 'v1',
      kind: 'ConfigMap',
      metadata: { name: 'c', namespace },
      data,
    })
    const volumes = [{ name: 'v', configMap: { name: 'c' } }]
    const volumeMounts = [{ name: 'v', mountPath: '/etc/c' }]
    const containers = [
      { name: 'app', image: 'busybox', command: [...shell('ls /etc/c; cat /etc/c/colour')], volumeMounts },
    ]
    const spec = { restartPolicy: 'Never', volumes, containers } as const
    await test.client.create(Pod, { apiVersion: 'v1', kind: 'Pod', metadata: { name: 'p', namespace }, spec })
    await test.until(async () => (await stateOf()).terminated !== undefined)
    expect(await logOf()).toBe('colour\nblue\n')
  })

  it('line by line, when it comes to it; whoever follows hears the end', async () => {
    await create({ command: [...shell('echo a; sleep 5; date +%s; sleep 3; echo c; sleep 60')] })
    await test.until(async () => (await stateOf()).running !== undefined)
    const startedAt = Date.parse((await stateOf()).running?.startedAt ?? '')
    const following = logOf({ follow: true, timestamps: true })
    await test.world.advance(startedAt + 6000 - test.world.clock.now())
    expect(await logOf()).toBe(`a\n${startedAt / 1000 + 5}\n`)
    await test.until(async () => (await stateOf()).terminated !== undefined)
    const at = (seconds: number): string => new Date(startedAt + 1000 * seconds).toISOString().replace('Z', '000Z')
    expect(await following).toBe(`${at(0)} a\n${at(5)} ${startedAt / 1000 + 5}\n${at(8)} c\n`)
  })

  it('an endless script counts on', async () => {
    await create({ args: ['/bin/sh', '-c', 'i=0; while true; do echo "$i: $(date +%s)"; i=$((i+1)); sleep 1; done'] })
    await test.until(async () => (await stateOf()).running !== undefined)
    const startedAt = Date.parse((await stateOf()).running?.startedAt ?? '') / 1000
    await test.world.advance(5500)
    expect((await logOf()).split('\n').slice(0, 3)).toEqual([0, 1, 2].map((i) => `${i}: ${startedAt + i}`))
    const following = logOf({ follow: true })
    await test.world.advance(3000)
    await test.client.delete(Pod, { namespace, name: 'p' }, { gracePeriodSeconds: 1 })
    await test.until(async () => (await test.find(Pod, { namespace, name: 'p' })) === undefined)
    const counted = (await following)
      .trimEnd()
      .split('\n')
      .map((line) => Number(line.split(':')[0]))
    expect(counted).toEqual(Array.from({ length: counted.length }, (_, i) => i))
    expect(counted.length).toBeGreaterThan(8)
  })

  it('a loop without a pause keeps nobody waiting', async () => {
    await create({ command: [...shell('while true; do echo y; done')] })
    await test.until(async () => (await stateOf()).running !== undefined)
    await test.world.advance(1000)
    expect(await logOf()).toMatch(/^(y\n){900,}$/)
    await test.world.advance(600_000)
    expect((await logOf()).length).toBeLessThan(200_000)
  })

  it('a server is followed until it is killed', async () => {
    await create({ image: 'nginx' })
    await test.until(async () => (await stateOf()).running !== undefined)
    const following = logOf({ follow: true })
    await test.client.delete(Pod, { namespace, name: 'p' })
    await test.until(async () => (await test.find(Pod, { namespace, name: 'p' })) === undefined)
    expect(await following).toContain('ready for start up\n')
  })

  it('is refused at once where there is none', async () => {
    const pod = await create({ image: 'nginx:missing' })
    const request = { container: 'app', follow: false, previous: true, timestamps: false }
    await test.until(async () => (await stateOf()).waiting !== undefined)
    const latest = await test.client.get(Pod, { namespace, name: 'p' })
    const ask = (one: Pod) => test.machine.residents.kubelet?.logs(one, request, new AbortController().signal)
    expect(() => ask(latest)).toThrow('previous terminated container "app" in pod "p" not found')
    expect(() => ask(pod)).toThrow('container "app" in pod "p" is not available')
  })
})
