import { describe, expect, it } from 'vitest'
import type { Container, Pod } from '#kinds'
import { goDuration } from '../ground/go-text.ts'
import { imageNameFault, parseImage } from '../workload/image-reference.ts'
import { runOf } from '../workload/workload.ts'
import { defaultWorkloads } from './default-workloads.ts'
import { readScript } from './script.ts'

const pod = (restartPolicy: 'Always' | 'Never', container: Partial<Container>): Pod => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name: 'p', namespace: 'demo' },
  spec: { restartPolicy, containers: [{ name: 'app', image: 'nginx', ...container }] },
})

describe('what containers do by default', () => {
  it.each<[string, Pod, object]>([
    ['servers run', pod('Always', {}), { forever: true }],
    ['jobs finish', pod('Never', {}), { exitCode: 0, afterSeconds: 1.5 }],
    ['sleep', pod('Never', { command: ['sleep', '5'] }), { exitCode: 0, afterSeconds: 5 }],
    [
      'a script',
      pod('Never', { command: ['sh', '-c'], args: ['echo hello; sleep 2 && exit 3'] }),
      { exitCode: 3, afterSeconds: 2, logTail: 'hello\n' },
    ],
    ['an endless script', pod('Never', { command: ['sh', '-c', 'while true; do sleep 1; done'] }), { forever: true }],
    ['a server that fails', pod('Always', { command: ['false'] }), { exitCode: 1, afterSeconds: 0.1 }],
    ['a shell that is talked to', pod('Never', { command: ['sh'], stdin: true }), { forever: true }],
    [
      'a command that waits for its one client',
      pod('Never', { args: ['ls', '/etc'], stdin: true, stdinOnce: true }),
      { forever: true },
    ],
    [
      'a command that nobody need listen to',
      pod('Never', { args: ['ls', '/etc'], stdin: true }),
      { exitCode: 0, afterSeconds: 1.5 },
    ],
    [
      'one client, of a program that is not simulated',
      pod('Never', { args: ['nslookup', 'db'], stdin: true, stdinOnce: true }),
      { exitCode: 0, afterSeconds: 1.5 },
    ],
  ])('%s', (_name, given, run) => {
    expect(runOf(defaultWorkloads.container(given, 'app'), 0)).toEqual(run)
  })

  it('shells ignore SIGTERM unless they trap it', () => {
    const of = (...command: string[]) => defaultWorkloads.container(pod('Always', { command }), 'app').onSigterm
    expect(of('sleep', '3600')).toBe('ignored')
    expect(of('sh', '-c', "trap 'exit 7' TERM; while true; do sleep 1; done")).toMatchObject({ exitCode: 7 })
    expect(of('/app/server')).toMatchObject({ exitCode: 0 })
    expect(of('tail', '-f', '/dev/null')).toBe('ignored')
  })

  it('what reads from a terminal waits for what is typed', () => {
    const of = (spec: Partial<Container>) => runOf(defaultWorkloads.container(pod('Never', spec), 'app'), 0)
    expect(of({ command: ['cat'], tty: true })).toEqual({ forever: true })
    expect(of({ command: ['cat'] })).toMatchObject({ exitCode: 0 })
    expect(of({ command: ['cat', '/etc/hosts'], tty: true })).toMatchObject({ exitCode: 0 })
  })

  it('a shell that hands its place to a server lets it hear SIGTERM', () => {
    const of = (text: string) =>
      defaultWorkloads.container(pod('Always', { command: ['/bin/bash', '-ec', text] }), 'app').onSigterm
    expect(of('exec java -jar /app.jar')).toMatchObject({ exitCode: 0 })
    expect(of('set -e\n./migrate\nexec /app/server --port 80')).toMatchObject({ exitCode: 0 })
    expect(of('PORT=80 node server.js')).toMatchObject({ exitCode: 0 })
    expect(of('./migrate; ./server')).toBe('ignored')
    expect(of('node server.js | tee /log')).toBe('ignored')
    expect(of('exec sleep 99')).toBe('ignored')
    expect(of('trap : TERM INT; sleep infinity & wait')).toMatchObject({ exitCode: 143 })
    expect(of("trap '' TERM; sleep infinity & wait")).toBe('ignored')
    expect(of('exec >/log 2>&1; ./server')).toBe('ignored')
  })

  it.each<[string, string | undefined]>([
    ['nginx:1.27', undefined],
    ['registry.invalid/app:1', 'dial tcp: lookup registry.invalid on 10.96.0.10:53: no such host'],
    ['localhost:5000/app:1', 'dial tcp 127.0.0.1:5000: connect: connection refused'],
    ['nginx:does-not-exist', 'docker.io/library/nginx:does-not-exist: not found'],
    ['private/app:1', 'server message: insufficient_scope: authorization failed'],
  ])('pulling %s', (image, fault) => {
    const [pull] = defaultWorkloads.image(image).pulls ?? []
    if (fault === undefined) expect(pull).toMatchObject({ result: 'ok' })
    else
      expect(pull).toMatchObject({
        result: 'error',
        message: expect.stringMatching(new RegExp(`${fault.replaceAll('.', '\\.')}$`)),
      })
  })

  it.each<[readonly string[], string | undefined]>([
    [['/nope'], 'exec: "/nope": stat /nope: no such file or directory'],
    [['nope', 'x'], 'exec: "nope": executable file not found in $PATH'],
    [['/no/such/command'], 'exec: "/no/such/command": stat /no/such/command: no such file or directory'],
    [['/bin/nonexistent.sh'], 'exec: "/bin/nonexistent.sh": stat /bin/nonexistent.sh: no such file or directory'],
    [['this_command_does_not_exist'], 'exec: "this_command_does_not_exist": executable file not found in $PATH'],
    [[''], 'exec: "": executable file not found in $PATH'],
    [['/usr/bin/report-missing'], undefined],
    [['/app/invalid-handler'], undefined],
    [['sh', '-c', 'nope'], undefined],
  ])('starting %j', (command, fault) => {
    const { startError } = defaultWorkloads.container(pod('Always', { command }), 'app')
    const begin =
      'failed to create containerd task: failed to create shim task: OCI runtime create failed: runc create failed: ' +
      'unable to start container process: '
    expect(startError?.message).toBe(fault && `${begin}${fault}: unknown`)
  })

  it.each<[string, readonly string[], object | undefined]>([
    ['nothing', ['/no/such/binary'], { result: 'error', cause: { kind: 'exec-cannot-start' } }],
    ['true', ['true'], undefined],
    ['unknown', ['/app/check'], undefined],
    ['false', ['false'], { result: 'failure', cause: { kind: 'exec', exitCode: 1 } }],
    ['a script', ['sh', '-c', 'echo bad; exit 2'], { result: 'failure', output: 'bad\n' }],
    ['too slow', ['sleep', '5'], { result: 'timeout', cause: { takesSeconds: 5 } }],
    ['a file that is never made', ['cat', '/tmp/ready'], { result: 'failure' }],
    ['a file of the image', ['cat', '/etc/hostname'], undefined],
  ])('an exec probe: %s', (_name, probe, segment) => {
    const given = pod('Always', {
      command: ['sh', '-c', 'sleep 600'],
      readinessProbe: { exec: { command: probe } },
    })
    const found = defaultWorkloads.container(given, 'app').probes?.readiness?.[0]
    if (segment === undefined) expect(found).toBeUndefined()
    else expect(found).toMatchObject(segment)
  })

  it.each<[string, readonly string[], object | undefined]>([
    ['sleeps', ['/bin/sh', '-c', 'sleep 15; nginx -s quit'], { result: 'ok', seconds: 15 }],
    ['fails', ['sh', '-c', 'exit 4'], { result: 'error', exitCode: 4 }],
    ['unknown', ['/app/drain'], undefined],
    [
      'is not there',
      ['nope'],
      { result: 'error', message: expect.stringContaining('"nope": executable file not found') },
    ],
  ])('a hook that %s', (_name, command, outcome) => {
    const hooks = defaultWorkloads.container(
      pod('Always', { lifecycle: { preStop: { exec: { command } } } }),
      'app',
    ).hooks
    if (outcome === undefined) expect(hooks).toBeUndefined()
    else expect(hooks?.preStop).toMatchObject(outcome)
  })

  it('a file that a probe looks for, and memory that is asked for', () => {
    const { probes } = defaultWorkloads.container(
      pod('Always', {
        args: ['/bin/sh', '-c', 'touch /tmp/healthy; sleep 30; rm -f /tmp/healthy; sleep 600'],
        livenessProbe: { exec: { command: ['cat', '/tmp/healthy'] } },
      }),
      'app',
    )
    expect(probes?.liveness?.map(({ fromSeconds, result }) => [fromSeconds, result])).toEqual([
      [0, 'failure'],
      [0, 'success'],
      [30, 'failure'],
    ])
    const stress = pod('Always', { command: ['stress'], args: ['--vm', '1', '--vm-bytes', '250M'] })
    expect(defaultWorkloads.container(stress, 'app').memory?.[0]?.value).toBe(250 * 1024 * 1024)
  })

  it('reads scripts as far as they say what they do', () => {
    expect(readScript('for i in 1 2; do work; done')).toEqual({
      seconds: 0,
      exitCode: undefined,
      endless: false,
      output: '',
      files: new Map(),
    })
  })
})

describe('names of images', () => {
  it.each([
    ['nginx', 'docker.io/library/nginx:latest'],
    ['bitnami/redis:7', 'docker.io/bitnami/redis:7'],
    ['ghcr.io/a/b', 'ghcr.io/a/b:latest'],
    ['localhost:5000/app:1', 'localhost:5000/app:1'],
  ])('%s is %s', (name, full) => {
    expect(parseImage(name)?.full).toBe(full)
  })

  it('refuses what is no reference', () => {
    expect(imageNameFault('busybox:1.36:x')).toBe('invalid reference format')
    expect(imageNameFault('Busybox:1')).toBe(
      'invalid reference format: repository name (library/Busybox) must be lowercase',
    )
  })
})

describe('durations', () => {
  it('are printed as Go prints them', () => {
    expect([66, 1802, 10_000, 80_000, 300_000].map(goDuration)).toEqual(['66ms', '1.802s', '10s', '1m20s', '5m0s'])
  })
})
