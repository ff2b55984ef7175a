// kubectl exec, attach, cp, run -i and port-forward against pods that are simulated.

import { type ChildProcess, spawn } from 'node:child_process'
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { eventually, hasKubectl, type KubectlResult, kubectlBinary } from '../support/kubectl.ts'
import { type KubectlCluster, startKubectlCluster } from '../support/kubectl-cluster.ts'

const manifests = `
apiVersion: v1
kind: ConfigMap
metadata: {name: conf}
data: {app.properties: "a=1\\n", other: "x"}
---
apiVersion: v1
kind: Pod
metadata: {name: web}
spec:
  terminationGracePeriodSeconds: 1
  containers:
  - name: web
    image: nginx:1.29
    ports: [{containerPort: 80}]
    volumeMounts: [{name: conf, mountPath: /etc/conf}, {name: data, mountPath: /data}]
  volumes: [{name: conf, configMap: {name: conf}}, {name: data, emptyDir: {}}]
---
apiVersion: v1
kind: Pod
metadata: {name: two}
spec:
  terminationGracePeriodSeconds: 1
  containers: [{name: a, image: "nginx:1.29"}, {name: b, image: "nginx:1.29"}]
---
apiVersion: v1
kind: Pod
metadata: {name: done}
spec:
  restartPolicy: Never
  containers: [{name: main, image: busybox, command: ["true"]}]
`

describe.skipIf(!hasKubectl)('kubectl and what runs in pods', () => {
  let cluster: KubectlCluster
  let folder: KubectlCluster['folder']
  let kubectl: KubectlCluster['kubectl']
  const started: ChildProcess[] = []

  beforeAll(async () => {
    cluster = await startKubectlCluster()
    ;({ folder, kubectl } = cluster)
    await kubectl('apply -f -', { input: manifests })
    await kubectl('wait pod/web pod/two --for=condition=Ready --timeout=30s')
    await kubectl('wait pod/done --for=jsonpath={.status.phase}=Succeeded --timeout=30s')
  })
  afterAll(async () => {
    for (const child of started) child.kill()
    await cluster?.stop()
  })

  it('exec tells output, errors and exit codes', async () => {
    expect(await kubectl('exec web -- echo hello world')).toEqual({ code: 0, stdout: 'hello world\n', stderr: '' })
    expect(await kubectl("exec web -- sh -c 'cat /etc/conf/app.properties; echo bad >&2; exit 3'")).toEqual({
      code: 3,
      stdout: 'a=1\n',
      stderr: 'bad\ncommand terminated with exit code 3\n',
    })
    expect((await kubectl('exec two -- hostname')).stderr).toBe('Defaulted container "a" out of: a, b\n')
  })

  it('exec -i hands on stdin; -it without a terminal reads a script', async () => {
    expect((await kubectl('exec -i web -- cat', { input: 'one\ntwo\n' })).stdout).toBe('one\ntwo\n')
    const script = await kubectl('exec -it web -- sh', { input: 'cd /etc/conf\npwd\nexit 4\n' })
    expect(script).toMatchObject({ code: 4, stdout: '/etc/conf\n' })
    expect(script.stderr).toContain('Unable to use a TTY')
  })

  it.each([
    [
      'exec web -- nosuch',
      /^error: Internal error occurred: Internal error occurred: .* exec: "nosuch": executable file not found in \$PATH: unknown\n$/,
    ],
    ['exec nobody -- true', /^Error from server \(NotFound\): pods "nobody" not found\n$/],
    ['exec web -c other -- true', /^Error from server \(BadRequest\): container other is not valid for pod web\n$/],
    ['exec done -- true', /^error: cannot exec into a container in a completed pod; current phase is Succeeded\n$/],
  ])('%s says why not', async (args, text) => {
    const { code, stderr } = await kubectl(args)
    expect(code).toBe(1)
    expect(stderr).toMatch(text)
  })

  it('exec is refused to who may only read pods', async () => {
    await kubectl('create role reader --verb=get --resource=pods')
    await kubectl('create rolebinding reader --role=reader --user=eve')
    const { code, stderr } = await kubectl('exec web --as=eve -- true')
    expect(code).toBe(1)
    expect(stderr).toContain('User "eve" cannot create resource "pods/exec" in API group "" in the namespace "default"')
    await kubectl('create role runner --verb=get --resource=pods/exec')
    await kubectl('create rolebinding runner --role=runner --user=eve')
    expect((await kubectl('exec web --as=eve -- true')).code).toBe(0)
  })

  it('cp copies files and folders, both ways', async () => {
    const local = join(folder, 'copies')
    mkdirSync(local)
    expect((await kubectl(`cp web:/etc/conf/app.properties ${local}/file`)).code).toBe(0)
    expect(readFileSync(join(local, 'file'), 'utf8')).toBe('a=1\n')
    expect((await kubectl(`cp web:/etc/conf ${local}/conf`)).code).toBe(0)
    expect(readFileSync(join(local, 'conf', 'other'), 'utf8')).toBe('x')
    const large = 'line of text\n'.repeat(20_000)
    writeFileSync(join(local, 'large'), large)
    expect((await kubectl(`cp ${local}/large web:/data/large`)).code).toBe(0)
    expect((await kubectl('exec web -- wc -c /data/large')).stdout).toBe(`${large.length} /data/large\n`)
    expect((await kubectl(`cp web:/data/large ${local}/back`)).code).toBe(0)
    expect(readFileSync(join(local, 'back'), 'utf8')).toBe(large)
    await kubectl(`cp web:/nowhere ${local}/nothing`)
    expect(existsSync(join(local, 'nothing'))).toBe(false)
  })

  it('run -i talks to the shell of a new pod, which ends with it', async () => {
    const ran = await kubectl('run talk --image=busybox --restart=Never -i -- sh', {
      input: 'echo hi from $HOSTNAME\nexit 5\n',
    })
    expect(ran.stdout).toContain('hi from talk\n')
    const ended = await eventually(
      () => kubectl('get pod talk -o jsonpath={.status.containerStatuses[0].state.terminated.exitCode}'),
      ({ stdout }) => stdout !== '',
    )
    expect(ended.stdout).toBe('5')
  })

  it('debug -i talks to the shell of an ephemeral container', async () => {
    const ran = await kubectl('debug -i web --image=busybox --target=web', { input: 'hostname\nexit 0\n' })
    expect(ran.stdout).toContain('web\n')
  })

  it('attach shows what a container writes from now on', async () => {
    const { stdout } = await kubectl('attach web', { until: (printed) => printed.includes('GET /') })
    expect(stdout).toContain('GET /')
  })

  it('port-forward reaches the simulated server, and says that nobody listens', async () => {
    const env = { ...process.env, KUBECONFIG: join(folder, 'kubeconfig') }
    const child = spawn(kubectlBinary, ['port-forward', 'pod/web', ':80', ':81'], { env, stdio: 'pipe' })
    started.push(child)
    let said = ''
    for (const stream of [child.stdout, child.stderr])
      stream.on('data', (bytes) => {
        said += String(bytes)
      })
    const told = (): Promise<KubectlResult> => Promise.resolve({ code: 0, stdout: said, stderr: '' })
    const ready = await eventually(told, ({ stdout }) => /127\.0\.0\.1:\d+ -> 81/.test(stdout))
    const portTo = (port: number): string =>
      new RegExp(`127\\.0\\.0\\.1:(\\d+) -> ${port}`).exec(ready.stdout)?.[1] ?? ''
    const urls = ['/a', '/b', '/c', '/d'].map((path) => `http://127.0.0.1:${portTo(80)}${path}`)
    const answers = await Promise.all(urls.map(async (url) => (await fetch(url)).text()))
    expect(answers.map((text) => text.split('\n')[0])).toEqual(['GET /a', 'GET /b', 'GET /c', 'GET /d'])
    expect(answers[0]).toContain('pod default/web: container web answers')
    await expect(fetch(`http://127.0.0.1:${portTo(81)}/`)).rejects.toThrow()
    await eventually(told, ({ stdout }) =>
      /connect to localhost:81 inside namespace .* connection refused/.test(stdout),
    )
  })
})
