// Commands in simulated containers over WebSockets, as clients speak to the exec subresource.

import { setTimeout as delay } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { WebSocket } from 'ws'
import { ConfigMap, Pod, WorkloadProfile } from '#kinds'
import { openWire, type WireServer } from './kube-server.ts'

interface Ran {
  readonly stdout: string
  readonly stderr: string
  readonly status: {
    readonly status: string
    readonly reason?: string
    readonly message?: string
    readonly details?: object
  }
}

interface Run {
  readonly command?: readonly string[]
  readonly pod?: string
  readonly stdin?: readonly string[]
  readonly tty?: boolean
  readonly protocol?: string
  readonly token?: string
  readonly subresource?: string
}

const pod = (name: string, container: object = {}, spec: object = {}): Pod =>
  ({
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name, namespace: 'default' },
    spec: { containers: [{ name: 'main', image: 'nginx:1.29', ...container }], ...spec },
  }) as unknown as Pod

describe('exec over a WebSocket', () => {
  let wire: WireServer

  beforeAll(async () => {
    wire = await openWire({ withNodes: true })
    await wire.client.create(ConfigMap, {
      apiVersion: 'v1',
      kind: 'ConfigMap',
      metadata: { name: 'conf', namespace: 'default' },
      data: { colour: 'blue\n', size: 'xl' },
    })
    await wire.client.create(WorkloadProfile, {
      apiVersion: 'lab.homeostat.dev/v1alpha1',
      kind: 'WorkloadProfile',
      metadata: { name: 'database' },
      spec: {
        match: { pods: ['web'] },
        container: {
          exec: [{ command: 'psql *', stdout: 'one row\n', stderr: 'a notice\n', exitCode: 2 }],
          files: { '/opt/app/version': '1.2.3\n' },
        },
      },
    } as unknown as WorkloadProfile)
    const container = {
      env: [{ name: 'GREETING', value: 'good day' }],
      volumeMounts: [
        { name: 'conf', mountPath: '/etc/conf' },
        { name: 'scratch', mountPath: '/scratch' },
      ],
    }
    const volumes = [
      { name: 'conf', configMap: { name: 'conf' } },
      { name: 'scratch', emptyDir: {} },
    ]
    await untilAccepted(() => wire.client.create(Pod, pod('web', container, { volumes })))
    await wire.client.create(Pod, pod('done', { image: 'busybox', command: ['true'] }, { restartPolicy: 'Never' }))
    await untilPhase('web', 'Running')
    await untilPhase('done', 'Succeeded')
  })
  afterAll(() => wire.close())

  /** The controllers give the namespace its service account in their own time. */
  async function untilAccepted(create: () => Promise<unknown>): Promise<void> {
    for (let tries = 0; ; tries += 1) {
      try {
        await create()
        return
      } catch (error) {
        if (tries === 100) throw error
        await delay(50)
      }
    }
  }

  async function untilPhase(name: string, phase: string): Promise<void> {
    for (let tries = 0; tries < 200; tries += 1) {
      const { status } = await wire.client.get(Pod, { namespace: 'default', name })
      if (status?.phase === phase) return
      await delay(50)
    }
    throw new Error(`pod ${name} is not ${phase}`)
  }

  function dial({ command = [], pod: name = 'web', stdin, tty, protocol, token, subresource }: Run): WebSocket {
    const query = new URLSearchParams({ stdout: 'true', stderr: 'true' })
    if (stdin !== undefined) query.set('stdin', 'true')
    if (tty === true) query.set('tty', 'true')
    for (const word of command) query.append('command', word)
    const url = `wss://127.0.0.1:${wire.port}/api/v1/namespaces/default/pods/${name}/${subresource ?? 'exec'}?${query}`
    return new WebSocket(url, protocol ?? 'v5.channel.k8s.io', {
      ca: wire.credentials.authority.certificatePem,
      headers: { authorization: `Bearer ${token ?? 'admin-token'}` },
    })
  }

  function run(options: Run): Promise<Ran> {
    const client = dial(options)
    const texts = ['', '', '', '']
    const keys = [...(options.stdin ?? [])]
    const type = (text: string): void => client.send(Buffer.concat([Buffer.of(0), Buffer.from(text)]))
    return new Promise((resolve, reject) => {
      client.on('open', () => {
        if (options.tty !== true) for (const text of options.stdin ?? []) type(text)
        if (options.stdin !== undefined && options.tty !== true) client.send(Buffer.of(255, 0))
      })
      client.on('message', (data: Buffer) => {
        texts[data[0] ?? 0] += data.subarray(1).toString()
        // At a terminal the next keys follow the prompt, or what a command says.
        if (options.tty === true && /(?:[#$] |ready\r\n)$/.test(texts[1] ?? '')) type(keys.shift() ?? '')
      })
      client.on('error', reject)
      client.on('close', () => {
        const [, stdout = '', stderr = '', status = ''] = texts
        resolve({ stdout, stderr, status: JSON.parse(status) })
      })
    })
  }

  const sh = async (text: string): Promise<string> => (await run({ command: ['sh', '-c', text] })).stdout

  it('tells output and success apart', async () => {
    expect(await run({ command: ['echo', 'a', 'b'] })).toEqual({
      stdout: 'a b\n',
      stderr: '',
      status: { kind: 'Status', apiVersion: 'v1', metadata: {}, status: 'Success' },
    })
  })

  it('tells the exit code', async () => {
    const { stderr, status } = await run({
      command: ['sh', '-c', 'echo bad >&2; exit 3'],
      protocol: 'v4.channel.k8s.io',
    })
    expect(stderr).toBe('bad\n')
    expect(status).toMatchObject({
      status: 'Failure',
      reason: 'NonZeroExitCode',
      message: 'command terminated with non-zero exit code: command terminated with exit code 3',
      details: { causes: [{ reason: 'ExitCode', message: '3' }] },
    })
  })

  it('hands on stdin to its end', async () => {
    expect((await run({ command: ['cat'], stdin: ['one ', 'two\n'] })).stdout).toBe('one two\n')
    const { stdout, status } = await run({ command: ['sh'], stdin: ['cd /etc/conf\nls\n', 'cat colour\nexit 5\n'] })
    expect(stdout).toBe('colour\nsize\nblue\n')
    expect(status.details).toEqual({ causes: [{ reason: 'ExitCode', message: '5' }] })
  })

  it.each([
    ['cat /etc/conf/colour', 'blue\n'],
    ['cat /etc/conf/* | wc -c', '7\n'],
    ['cat /opt/app/version', '1.2.3\n'],
    ['ls -a /etc/conf /nowhere 2>/dev/null', '/etc/conf:\ncolour\nsize\n'],
    // biome-ignore lint/suspicious/noTemplateCurlyInString: the shell's own words
    ['echo "$GREETING" $GREETING \'$GREETING\' ${NONE:-none}', 'good day good day $GREETING none\n'],
    ['echo $(hostname)-`pwd`', 'web-/\n'],
    ['false || echo no; true && echo yes; ! true && echo never', 'no\nyes\n'],
    ['printf "b\\na\\n" | sort | head -n 1', 'a\n'],
    ['A=1 printenv A; B=2; echo $B$A', '1\n2\n'],
    ['echo x > /scratch/f; echo y >> /scratch/f; cat < /scratch/f', 'x\ny\n'],
    ['echo x > /etc/conf/f || echo "$?"', '1\n'],
    ['[ -f /etc/conf/colour ] && [ ! -d /nowhere ] && test 1 -lt 2 && echo good', 'good\n'],
    ['nosuch; echo $?', '127\n'],
    ['id -u; whoami; date +%Y | wc -c', '0\nroot\n5\n'],
    ['exec echo last; echo never', 'last\n'],
    ['for a in 1 $B "2 3"; do echo "<$a>"; done; echo $a', '<1>\n<2 3>\n2 3\n'],
    ['i=0; while [ $i -lt 3 ]; do i=$((i + 1)); [ $i = 2 ] && continue; echo $i; done', '1\n3\n'],
    [
      'until false; do echo once; break; done\nif false\nthen echo a\nelif true; then echo b\nelse echo c\nfi',
      'once\nb\n',
    ],
    ['for a in x y; do for b in 1 2; do echo $a$b; break 2; done; done; echo out', 'x1\nout\n'],
    ['if false; then echo no; fi; echo $?', '0\n'],
    ['{ echo a; echo b; } | wc -l; for a in c d; do echo $a; done | sort -r', '2\nd\nc\n'],
    ['echo if do done; [ 1 = 2 ] || { echo $((7 / 2 * (1 + 1))); }', 'if do done\n6\n'],
  ])('sh -c %s', async (text, stdout) => {
    expect(await sh(text)).toBe(stdout)
  })

  it('refuses what is more than it knows by name', async () => {
    const { stderr, status } = await run({ command: ['sh', '-c', 'case a in a) echo a;; esac'] })
    expect(stderr).toContain('"case" is more than the shell of a simulated container knows')
    expect(status.details).toEqual({ causes: [{ reason: 'ExitCode', message: '2' }] })
  })

  it.each([
    ['for a in b; do echo $a', 'unexpected end of file'],
    ['if true; then fi', 'unexpected "fi"'],
    ['while true; done', 'unexpected "done"'],
    ['echo a &&', 'unexpected end of file'],
    ['; echo a', 'unexpected ";"'],
    ['done', 'unexpected "done"'],
    ['echo $((1 +))', 'arithmetic syntax error'],
  ])('sh -c %s is a fault', async (text, fault) => {
    const { stdout, stderr, status } = await run({ command: ['sh', '-c', text] })
    expect([stdout, stderr]).toEqual(['', expect.stringContaining(fault)])
    expect(status.details).toEqual({ causes: [{ reason: 'ExitCode', message: '2' }] })
  })

  it('answers what the profile says', async () => {
    const ran = await run({ command: ['psql', '-c', 'select 1'] })
    expect(ran).toMatchObject({ stdout: 'one row\n', stderr: 'a notice\n', status: { reason: 'NonZeroExitCode' } })
  })

  it('has a terminal: a prompt, an echo, lines that can be edited, ^C', async () => {
    const { stdout, status } = await run({
      command: ['bash'],
      stdin: ['echo hallp\x7fo\r', 'echo ready; sleep 1000\r', '\x03', 'exit 6\r'],
      tty: true,
    })
    expect(stdout).toBe(
      [
        'root@web:/# echo hallp\b \bo',
        'hallo',
        'root@web:/# echo ready; sleep 1000',
        'ready',
        '^C',
        'root@web:/# exit 6',
        '',
      ].join('\r\n'),
    )
    expect(status.details).toEqual({ causes: [{ reason: 'ExitCode', message: '6' }] })
  })

  it('says in the words of runtime and kubelet what cannot be run', async () => {
    const unknown = await run({ command: ['nosuch'] })
    expect(unknown.status.message).toMatch(
      /^Internal error occurred: Internal error occurred: error executing command in container: failed to exec in container: failed to start exec "[0-9a-f]{64}": OCI runtime exec failed: exec failed: unable to start container process: exec: "nosuch": executable file not found in \$PATH: unknown$/,
    )
    expect((await run({ command: ['true'], pod: 'done' })).status.message).toBe(
      'Internal error occurred: unable to upgrade connection: container not found ("main")',
    )
  })

  it('cannot reach a node that is offline', async () => {
    const { spec } = await wire.client.get(Pod, { namespace: 'default', name: 'web' })
    const kubelet = wire.machine.residents.kubelet
    kubelet?.stopNode(spec.nodeName ?? '')
    const { status } = await run({ command: ['true'] })
    kubelet?.startNode(spec.nodeName ?? '')
    expect(status.message).toMatch(
      /^Internal error occurred: error dialing backend: dial tcp [\d.]+:10250: connect: no route to host$/,
    )
  })

  it('holds no more than a disk of its own', async () => {
    const megabyte = 'x'.repeat(1024 * 1024)
    const { stderr } = await run({ command: ['tee', '/tmp/a'], stdin: Array.from({ length: 12 }, () => megabyte) })
    expect(stderr).toBe('')
    const more = await run({
      command: ['sh', '-c', 'cat /tmp/a > /tmp/b; rm /tmp/a; echo small > /tmp/b && cat /tmp/b'],
    })
    expect(more).toMatchObject({ stdout: 'small\n', stderr: 'sh: write error: No space left on device\n' })
  })

  it('ends a command when its container ends', async () => {
    await wire.client.create(Pod, pod('victim'))
    await untilPhase('victim', 'Running')
    const running = run({ command: ['sleep', '1000'], pod: 'victim' })
    await delay(100)
    await wire.client.delete(Pod, { namespace: 'default', name: 'victim' }, { gracePeriodSeconds: 0 })
    expect((await running).status.details).toEqual({ causes: [{ reason: 'ExitCode', message: '137' }] })
  })

  it('refuses in plain HTTP what may not be or is not there', async () => {
    const code = (options: Run): Promise<number> =>
      new Promise((resolve) => {
        const client = dial(options)
        client.on('error', () => {})
        client.on('unexpected-response', (_request, response) => {
          resolve(response.statusCode ?? 0)
          response.destroy()
        })
      })
    expect(await code({ pod: 'nobody', command: ['true'] })).toBe(404)
    expect(await code({ token: 'dev-token', command: ['true'] })).toBe(403)
    expect(await code({ token: 'wrong', command: ['true'] })).toBe(401)
    expect(await code({ protocol: 'v9.channel.k8s.io', command: ['true'] })).toBe(400)
    const path = '/api/v1/namespaces/default/pods/web/exec?command=true&stdout=true'
    const plain = await wire.ask(path, { method: 'POST' })
    expect([plain.status, plain.json()['message']]).toEqual([400, 'Upgrade request required'])
    const spdy = await wire.ask(path, { method: 'POST', headers: { connection: 'Upgrade', upgrade: 'SPDY/3.1' } })
    expect([spdy.status, spdy.json()['message']]).toEqual([
      400,
      'unable to upgrade to SPDY/3.1: only WebSocket is spoken here, as kubectl 1.31 and newer do',
    ])
    expect(wire.records.some(({ code: seen }) => seen === 101)).toBe(true)
  })

  it('answers other requests that ask for another protocol as if they had not', async () => {
    const { status, text } = await wire.ask('/version', { headers: { connection: 'Upgrade', upgrade: 'h2c' } })
    expect([status, text]).toEqual([200, expect.stringContaining('gitVersion')])
  })
})
