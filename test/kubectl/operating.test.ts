// What runs, and how kubectl looks after it: rollouts, scale, logs, exec, cp, debug, attach.

import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { eventually, hasKubectl } from '../support/kubectl.ts'
import { type KubectlCluster, startKubectlCluster } from '../support/kubectl-cluster.ts'

const workload = (kind: string, name: string, more = ''): string => `
apiVersion: apps/v1
kind: ${kind}
metadata: {name: ${name}}
spec:
  selector: {matchLabels: {app: ${name}}}
  template:
    metadata: {labels: {app: ${name}}}
    spec: {terminationGracePeriodSeconds: 1, containers: [{name: c, image: "nginx:1.29"}]}
${more}`

const pods = `
apiVersion: v1
kind: Pod
metadata: {name: two, labels: {app: two}, annotations: {kubectl.kubernetes.io/default-container: b}}
spec:
  terminationGracePeriodSeconds: 1
  initContainers: [{name: i, image: busybox, command: [sh, -c, "echo init done"]}]
  containers: [{name: a, image: "nginx:1.29"}, {name: b, image: "nginx:1.29"}]
---
apiVersion: v1
kind: Pod
metadata: {name: crashes}
spec: {containers: [{name: c, image: busybox, command: [sh, -c, "echo about to fail; sleep 4; exit 3"]}]}
`

describe.skipIf(!hasKubectl)('kubectl looks after what runs', { timeout: 90_000 }, () => {
  let cluster: KubectlCluster
  beforeAll(async () => {
    cluster = await startKubectlCluster()
  })
  afterAll(() => cluster?.stop())

  const revisions = (kind: string, ...numbers: readonly number[]): string =>
    `${kind} \nREVISION  CHANGE-CAUSE\n${numbers.map((number) => `${number}         <none>\n`).join('')}\n`

  it.concurrent('rollouts of a Deployment', async () => {
    const n = await cluster.fresh('deployments')
    const status = `rollout status deployment/web ${n} --timeout=30s`
    const done = /deployment "web" successfully rolled out\n$/
    const image = `get deployment web ${n} -o jsonpath={.spec.template.spec.containers[0].image}`
    await cluster.ok(`apply -f - ${n}`, workload('Deployment', 'web'))
    await cluster.inOrder([
      [status, done],
      [`set image deployment/web c=nginx:1.30 ${n}`, 'deployment.apps/web image updated\n'],
      [status, done],
      [`annotate deployment/web kubernetes.io/change-cause=newer ${n}`, 'deployment.apps/web annotated\n'],
    ])
    await eventually(
      () => cluster.kubectl(`rollout history deployment/web ${n}`),
      ({ stdout }) => stdout === 'deployment.apps/web \nREVISION  CHANGE-CAUSE\n1         <none>\n2         newer\n\n',
    )
    await cluster.inOrder([
      [
        `rollout history deployment/web --revision=1 ${n}`,
        /^deployment\.apps\/web with revision #1\nPod Template:\n {2}Labels:\tapp=web\n\tpod-template-hash=\w+\n {2}Containers:\n {3}c:\n {4}Image:\tnginx:1\.29\n/,
      ],
      [`rollout undo deployment/web --dry-run=server ${n}`, 'deployment.apps/web rolled back (server dry run)\n'],
      [`rollout undo deployment/web ${n}`, 'deployment.apps/web rolled back\n'],
      [image, 'nginx:1.29'],
      [status, done],
      [`rollout undo deployment/web --to-revision=2 ${n}`, 'deployment.apps/web rolled back\n'],
      [image, 'nginx:1.30'],
      [`rollout pause deployment/web ${n}`, 'deployment.apps/web paused\n'],
    ])
    await cluster.refused([
      [`rollout pause deployment/web ${n}`, 'error: deployments.apps "web" is already paused\n'],
      [
        `rollout restart deployment/web ${n}`,
        'error: deployments.apps "web" can\'t restart paused deployment (run rollout resume first)\n',
      ],
      [`rollout undo deployment/web --to-revision=9 ${n}`, /revision 9 in history|cannot rollback a paused deployment/],
      [`rollout history deployment/web --revision=9 ${n}`, 'error: unable to find the specified revision\n'],
      [`rollout status deployment/none ${n}`, 'Error from server (NotFound): deployments.apps "none" not found\n'],
    ])
    await cluster.inOrder([
      [`rollout resume deployment/web ${n}`, 'deployment.apps/web resumed\n'],
      [`rollout restart deployment/web ${n}`, 'deployment.apps/web restarted\n'],
      [status, done],
      [`set image deployment/web c=nginx:missing ${n}`, 'deployment.apps/web image updated\n'],
    ])
    const stuck = await cluster.kubectl(`rollout status deployment/web ${n} --timeout=1s`)
    expect(stuck.code).toBe(1)
    expect(stuck.stdout).toMatch(/^Waiting for deployment "web" rollout to finish: /)
    expect(stuck.stderr).toContain('error: timed out waiting for the condition')
  })

  it.concurrent.each([
    ['StatefulSet', 'statefulset.apps', /partitioned roll out complete: 1 new pods have been updated\.\.\.\n$/],
    ['DaemonSet', 'daemonset.apps', /daemon set "w" successfully rolled out\n$/],
  ])('rollouts of a %s', async (kind, resource, done) => {
    const n = await cluster.fresh(`${kind.toLowerCase()}s`)
    const it = `${kind.toLowerCase()}/w`
    await cluster.ok(`apply -f - ${n}`, workload(kind, 'w', kind === 'StatefulSet' ? '  serviceName: w\n' : ''))
    const status = `rollout status ${it} ${n} --timeout=30s`
    await cluster.inOrder([
      [status, done],
      [`rollout history ${it} ${n}`, revisions(`${resource}/w`, 1)],
      [`set image ${it} c=nginx:1.30 ${n}`, `${resource}/w image updated\n`],
      [status, done],
      [`rollout history ${it} ${n}`, revisions(`${resource}/w`, 1, 2)],
      [`rollout undo ${it} ${n}`, `${resource}/w rolled back\n`],
      [status, done],
      [`rollout history ${it} ${n}`, revisions(`${resource}/w`, 2, 3)],
      [
        `rollout undo ${it} --to-revision=3 ${n}`,
        /rolled back\n$|skipped rollback \(current template already matches revision 3\)\n$/,
      ],
      [`rollout restart ${it} ${n}`, `${resource}/w restarted\n`],
      [status, done],
      [`get pods -l app=w ${n} -o jsonpath={.items[0].spec.containers[0].image}`, 'nginx:1.29'],
    ])
    expect(await cluster.fails(`rollout pause ${it} ${n}`)).toBe(
      `error: ${kind.toLowerCase()}s.apps "w" pausing is not supported\n`,
    )
  })

  it.concurrent('scale', async () => {
    const n = await cluster.fresh('scaling')
    await cluster.ok(
      `apply -f - ${n}`,
      [
        workload('Deployment', 'web'),
        workload('StatefulSet', 'st', '  serviceName: st\n'),
        workload('DaemonSet', 'ds'),
      ].join('---'),
    )
    await cluster.inOrder([
      [
        `scale deployment/web statefulset/st --replicas=2 ${n}`,
        'deployment.apps/web scaled\nstatefulset.apps/st scaled\n',
      ],
      [`scale deployment/web --current-replicas=2 --replicas=3 --timeout=20s ${n}`, 'deployment.apps/web scaled\n'],
      [
        `wait deployment/web --for=jsonpath={.status.readyReplicas}=3 ${n} --timeout=20s`,
        'deployment.apps/web condition met\n',
      ],
      [
        `wait statefulset/st --for=jsonpath={.status.readyReplicas}=2 ${n} --timeout=20s`,
        'statefulset.apps/st condition met\n',
      ],
      [`scale deployments --all --replicas=0 ${n}`, 'deployment.apps/web scaled\n'],
      [`wait pods -l app=web --for=delete ${n} --timeout=20s`, /^(pod\/web-\S+ condition met\n)*$/],
    ])
    await cluster.refused([
      [`scale deployment/web --current-replicas=5 --replicas=2 ${n}`, 'error: Expected replicas to be 5, was 0\n'],
      [
        `scale daemonset/ds --replicas=1 ${n}`,
        'Error from server (NotFound): the server could not find the requested resource\n',
      ],
      [`scale deployment/none --replicas=1 ${n}`, /deployments\.apps "none" not found\n$/],
    ])
  })

  it.concurrent('logs, exec, cp, debug', async () => {
    const n = await cluster.fresh('containers')
    await cluster.ok(`apply -f - ${n}`, pods)
    await cluster.ok(`wait pod/two --for=condition=Ready --timeout=30s ${n}`)
    const path = join(cluster.folder, 'up.txt')
    writeFileSync(path, 'some text\n')
    const entrypoint = '/docker-entrypoint.sh: Configuration complete; ready for start up\n'
    await cluster.inOrder([[`cp ${path} two:/tmp/up.txt ${n}`, '']])
    await cluster.atOnce([
      [`logs two -c i ${n}`, 'init done\n'],
      [`logs two -f -c i ${n}`, 'init done\n'],
      [`logs two ${n}`, new RegExp(`^${entrypoint}`)],
      [`logs two --tail=1 --prefix ${n}`, /^\[pod\/two\/b\] .*\n$/],
      [`logs -l app=two --tail=1 ${n}`, /^.*\n$/],
      [`logs two --since-time=2020-01-01T00:00:00Z --limit-bytes=20 ${n}`, '/docker-entrypoint.s'],
      [`logs two --since=1h --timestamps ${n}`, /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d+Z \/docker-entrypoint/],
      [`exec two ${n} -- cat /tmp/up.txt`, 'some text\n'],
      [
        `cp two:/tmp/up.txt ${join(cluster.folder, 'down.txt')} -c b ${n}`,
        /^(tar: Removing leading `\/' from member names\n)?$/,
      ],
    ])
    await cluster.atOnce([
      [
        `debug two --image=busybox -c looks --target=b --profile=general ${n} -- sleep 1000`,
        /^$|^Targeting container "b"\./,
      ],
      [`debug two --copy-to=copy --set-image='*=nginx:1.30' --profile=general ${n}`, ''],
    ])
    const everyLog = await cluster.ok(`logs two --all-containers --prefix ${n}`)
    expect(everyLog.split('\n').sort().join('\n')).toMatch(
      /^\n(\[pod\/two\/a\] .*\n)+(\[pod\/two\/b\] .*\n)+\[pod\/two\/i\] init done$/,
    )
    expect(readFileSync(join(cluster.folder, 'down.txt'), 'utf8')).toBe('some text\n')
    await cluster.atOnce([
      [
        `get pod two -o jsonpath='{.spec.ephemeralContainers[0].name} {.spec.ephemeralContainers[0].targetContainerName}' ${n}`,
        'looks b',
      ],
      [`get pod copy -o jsonpath={.spec.containers[*].image} ${n}`, 'nginx:1.30 nginx:1.30'],
    ])
    await eventually(
      () => cluster.kubectl(`logs crashes --previous ${n}`),
      ({ stdout }) => stdout === 'about to fail\n',
    )
    await cluster.refused([
      [
        `logs two --previous ${n}`,
        'Error from server (BadRequest): previous terminated container "b" in pod "two" not found\n',
      ],
      [`logs two -c none ${n}`, 'error: container none is not valid for pod two\n'],
      [`logs nobody ${n}`, /pods "nobody" not found/],
      [`exec two -c i ${n} -- ls`, /container not found \("i"\)\n$/],
      [
        `debug two --image=busybox -c d --target=none --profile=general ${n}`,
        /The Pod "two" is invalid: spec\.ephemeralContainers\[1\]\.targetContainerName: Not found: "none"\n$/,
      ],
      [`attach two -c none ${n}`, /container none not found in pod two\n$/],
    ])
  })

  it.concurrent('a command that one client talks to is run when he has come: run -i, debug -i', async () => {
    const n = await cluster.fresh('talking')
    await cluster.ok(`run web --image=nginx:1.29 ${n}`)
    await cluster.ok(`wait pod/web --for=condition=Ready --timeout=30s ${n}`)
    const said = async (args: string, input = '') => cluster.kubectl(args, { input })
    const [listed, failed, repeated, node, ephemeral] = await Promise.all([
      said(`run ls -i --rm --quiet --image=busybox --restart=Never ${n} -- ls /etc`),
      said(`run sh -i --rm --quiet --image=busybox --restart=Never ${n} -- sh -c 'echo hello; exit 2'`),
      said(`run cat -i --rm --quiet --image=busybox --restart=Never ${n} -- cat`, 'one\ntwo\n'),
      said(`debug node/node-1 -i --image=busybox --profile=general ${n} -- ls -d /host`),
      said(`debug web -i --image=busybox --profile=general ${n} -- hostname`),
    ])
    expect(listed).toMatchObject({ code: 0, stdout: expect.stringMatching(/^hostname\nhosts\nresolv\.conf\n/) })
    expect(failed).toMatchObject({ code: 2, stdout: expect.stringMatching(/^hello\n/) })
    expect(repeated).toMatchObject({ code: 0, stdout: expect.stringMatching(/^one\ntwo\n/) })
    expect(node.stdout).toContain('/host\n')
    expect(ephemeral.stdout).toContain('web\n')
    expect(await cluster.ok(`get pods ${n} -o name`)).toMatch(/^pod\/node-debugger-node-1-\w+\npod\/web\n$/)
  })
})
