// What kubectl reads: get in every way, watches, wait, events, discovery, explain, raw paths, the proxy.

import { type ChildProcess, spawn } from 'node:child_process'
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { eventually, hasKubectl, kubectlBinary } from '../support/kubectl.ts'
import { type KubectlCluster, startKubectlCluster } from '../support/kubectl-cluster.ts'

const pod = (name: string, more = ''): string => `
apiVersion: v1
kind: Pod
metadata: {name: ${name}, labels: {app: ${name}}}
spec:
  terminationGracePeriodSeconds: 1
  containers: [{name: main, image: "nginx:1.29"${more}}]
`

describe.skipIf(!hasKubectl)('kubectl reads', { timeout: 90_000 }, () => {
  let cluster: KubectlCluster
  let n = ''
  const started: ChildProcess[] = []
  beforeAll(async () => {
    cluster = await startKubectlCluster()
    n = await cluster.fresh('read')
    await cluster.ok(`apply ${n} -f -`, [pod('one'), pod('two', ', env: [{name: A, value: b}]')].join('---'))
    await cluster.ok(`wait pod/one pod/two ${n} --for=condition=Ready --timeout=30s`)
  })
  afterAll(async () => {
    for (const child of started) child.kill()
    await cluster?.stop()
  })

  /** Starts kubectl in the background; what it has printed so far. */
  const background = (args: readonly string[]): (() => string) => {
    const env = { ...process.env, KUBECONFIG: cluster.kubeconfig }
    const child = spawn(kubectlBinary, args, { env, stdio: ['ignore', 'pipe', 'pipe'] })
    started.push(child)
    let said = ''
    for (const stream of [child.stdout, child.stderr])
      stream.on('data', (bytes) => {
        said += String(bytes)
      })
    return () => said
  }
  const heard = async (said: () => string, text: RegExp): Promise<string> => {
    const told = () => Promise.resolve({ code: 0, stdout: said(), stderr: '' })
    return (await eventually(told, ({ stdout }) => text.test(stdout))).stdout
  }

  it.concurrent('how the control plane is, and which groups there are', async () => {
    const { stdout, stderr } = await cluster.kubectl('get cs')
    expect(stderr).toBe('Warning: v1 ComponentStatus is deprecated in v1.19+\n')
    expect(stdout.split('\n').map((line) => line.trim().split(/ +/).slice(0, 3))).toEqual([
      ['NAME', 'STATUS', 'MESSAGE'],
      ['controller-manager', 'Healthy', 'ok'],
      ['scheduler', 'Healthy', 'ok'],
      ['etcd-0', 'Healthy', 'ok'],
      [''],
    ])
    const services = await cluster.ok('get apiservices')
    expect(services).toMatch(/^NAME +SERVICE +AVAILABLE +AGE\nv1\. +Local +True +\S+\n/)
    expect(services).toMatch(/\nv1alpha1\.argoproj\.io +Local +True +\S+\n/)
  })

  it.concurrent('get, in every form of output', async () => {
    const columns = join(cluster.folder, 'columns')
    writeFileSync(columns, 'POD          IMAGE\n.metadata.name .spec.containers[*].image\n')
    await cluster.atOnce([
      [
        `get pods ${n}`,
        /^NAME +READY +STATUS +RESTARTS +AGE\none +1\/1 +Running +0 +\d+s\ntwo +1\/1 +Running +0 +\d+s\n$/,
      ],
      [
        `get pod one ${n} -o wide`,
        /^NAME +READY +STATUS +RESTARTS +AGE +IP +NODE +NOMINATED NODE +READINESS GATES\none +1\/1 +Running +0 +\d+s +10\.244\.\d\.\d+ +node-\d +<none> +<none>\n$/,
      ],
      [`get pods ${n} -o name`, 'pod/one\npod/two\n'],
      [
        `get pods ${n} --no-headers -o custom-columns=N:.metadata.name,E:.spec.containers[*].env[*].value,X:.spec.none`,
        /^one +<none> +<none>\ntwo +b +<none>\n$/,
      ],
      [`get pods ${n} -o custom-columns-file=${columns}`, /^POD +IMAGE\none +nginx:1\.29\ntwo +nginx:1\.29\n$/],
      [
        `get pods ${n} -o jsonpath='{range .items[?(@.metadata.name=="two")]}{.metadata.name}{"\\t"}{.status.phase}{"\\n"}{end}'`,
        'two\tRunning\n',
      ],
      [`get pods ${n} -o jsonpath-as-json={.items[*].metadata.name}`, '[\n    "one",\n    "two"\n]\n'],
      [`get pods ${n} -o go-template='{{range .items}}{{.metadata.name}} {{end}}'`, 'one two '],
      [`get pods ${n} --show-labels`, /\none .* app=one\ntwo .* app=two\n$/],
      [`get pods ${n} -L app`, / APP\none .* one\ntwo .* two\n$/],
      [`get pods ${n} --show-kind`, /\npod\/one .*\npod\/two .*\n$/],
      [`get pods.v1. ${n} -o name`, 'pod/one\npod/two\n'],
      [`get pod/two configmap/kube-root-ca.crt ${n} -o name`, 'pod/two\nconfigmap/kube-root-ca.crt\n'],
      [`get pod two nobody --ignore-not-found -o name ${n}`, 'pod/two\n'],
      [`get pods -n nowhere`, ''],
      [`get pod two -o yaml ${n}`, /^apiVersion: v1\nkind: Pod\nmetadata:\n {2}annotations:\n(?!.*managedFields)/s],
      [
        `get pod two -o yaml --show-managed-fields ${n}`,
        /\n {4}manager: kubectl-client-side-apply\n {4}operation: Update\n/,
      ],
      [`get pod two -o json ${n}`, /^\{\n {4}"apiVersion": "v1",\n {4}"kind": "Pod",/],
    ])
    await cluster.refused([
      [`get pod nobody ${n}`, 'Error from server (NotFound): pods "nobody" not found\n'],
      ['get nothings', 'error: the server doesn\'t have a resource type "nothings"\n'],
      [`get pods ${n} -o nonsense`, /^error: unable to match a printer suitable for the output format "nonsense"/],
    ])
  })

  it.concurrent('get, sorted, selected and in chunks', async () => {
    await cluster.atOnce([
      [`get pods ${n} --sort-by=.metadata.creationTimestamp -o name`, /^pod\/one\npod\/two\n$/],
      [`get pods ${n} --sort-by='{.metadata.labels.app}'`, /\none .*\ntwo .*\n$/],
      [`get pods -A --field-selector=metadata.namespace=read,status.phase=Running -o name`, 'pod/one\npod/two\n'],
      [`get pods ${n} --field-selector=metadata.name!=two -o name`, 'pod/one\n'],
      [`get pods ${n} -l 'app in (two,three),!gone' -o name`, 'pod/two\n'],
      [`get pods ${n} -l app!=two -o name`, 'pod/one\n'],
      [
        `get events ${n} --field-selector=involvedObject.name=two,reason=Scheduled`,
        /^LAST SEEN +TYPE +REASON +OBJECT +MESSAGE\n\S+ +Normal +Scheduled +pod\/two +Successfully assigned read\/two to node-\d\n$/,
      ],
      [`get secrets -A --field-selector=type=Opaque -o name`, ''],
    ])
    const chunked = await cluster.kubectl('get clusterroles --chunk-size=20 -o name -v=6')
    const all = await cluster.ok('get clusterroles --chunk-size=0 -o name')
    expect(chunked.stdout).toBe(all)
    expect(chunked.stderr.match(/limit=20/g)?.length).toBe(Math.ceil((all.split('\n').length - 1) / 20))
    await cluster.refused([
      [
        `get pods ${n} --field-selector=spec.foo=x`,
        'Error from server (BadRequest): Unable to find "/v1, Resource=pods" that match label selector "", field selector "spec.foo=x": field label not supported: spec.foo\n',
      ],
      [`get pods ${n} -l app=(`, /unable to parse requirement: found '\(', expected: identifier\n$/],
    ])
  })

  it.concurrent('get --watch, with the kinds of events', async () => {
    const w = await cluster.fresh('watched')
    const events = background(['get', 'pods', ...w.split(' '), '--watch', '--output-watch-events'])
    const names = background(['get', 'pods', ...w.split(' '), '--watch-only', '-o', 'name'])
    const later = background(['wait', 'pod/one', ...w.split(' '), '--for=create', '--timeout=20s'])
    await cluster.ok(`apply ${w} -f -`, pod('one'))
    await cluster.ok(`wait pod/one ${w} --for=condition=Ready --timeout=20s`)
    // A watch that began late has the pod from its list.
    await heard(events, /(ADDED|MODIFIED) +one +1\/1 +Running/)
    const deleted = background(['wait', 'pod/one', ...w.split(' '), '--for=delete', '--timeout=20s'])
    await cluster.ok(`delete pod one ${w}`)
    expect(await heard(events, /DELETED/)).toMatch(
      /^EVENT +NAME +READY +STATUS +RESTARTS +AGE\n(ADDED|MODIFIED) +one [\s\S]*MODIFIED +one +1\/1 +Terminating [\s\S]*DELETED +one +0\/1 +Completed /,
    )
    expect(await heard(names, /(pod\/one\n){2}/)).toMatch(/^(pod\/one\n)+$/)
    await heard(later, /^pod\/one condition met\n$/)
    await heard(deleted, /^(pod\/one condition met\n)?$/)
  })

  it.concurrent('wait: conditions, jsonpath, creation, deletion, time-outs', async () => {
    await cluster.atOnce([
      [`wait pod/one ${n} --for=condition=Ready`, 'pod/one condition met\n'],
      [`wait pods -l app=two ${n} --for=condition=PodScheduled=True`, 'pod/two condition met\n'],
      [`wait pod/one ${n} --for=jsonpath={.status.phase}=Running`, 'pod/one condition met\n'],
      [`wait pod/one ${n} --for=jsonpath={.status.podIP}`, 'pod/one condition met\n'],
      [`wait pod/one ${n} --for=create`, 'pod/one condition met\n'],
      [`wait pod/nobody ${n} --for=delete`, ''],
    ])
    await cluster.refused([
      [
        `wait pod/one ${n} --for=condition=Nonsense --timeout=1s`,
        'error: timed out waiting for the condition on pods/one\n',
      ],
      [`wait pod/one ${n} --for=delete --timeout=1s`, 'error: timed out waiting for the condition on pods/one\n'],
      [`wait pod/nobody ${n} --for=create --timeout=1s`, /^error: timed out waiting for the condition/],
      [`wait pod/nobody ${n} --for=condition=Ready`, 'Error from server (NotFound): pods "nobody" not found\n'],
    ])
  })

  it.concurrent('events', async () => {
    const texts = [
      ...[
        'Scheduled +Pod/two +Successfully assigned read/two to node-\\d',
        'Pulling +Pod/two +Pulling image "nginx:1.29"',
      ],
      ...['Created +Pod/two +Created container: main', 'Started +Pod/two +Started container main'],
    ]
    const printed = await cluster.ok(`events --for pod/two ${n}`)
    expect(printed).toMatch(/^LAST SEEN +TYPE +REASON +OBJECT +MESSAGE\n/)
    for (const text of texts.filter((_, i) => i !== 1))
      expect(printed).toMatch(new RegExp(`^\\S+ +Normal +${text}$`, 'm'))
    expect(printed).not.toContain('Pod/one')
    await cluster.atOnce([
      [`events --types=Warning ${n}`, ''],
      [`get events ${n} --sort-by=.lastTimestamp`, /^LAST SEEN +TYPE +REASON +OBJECT +MESSAGE\n/],
    ])
  })

  it.concurrent('api-resources, api-versions, cluster-info', async () => {
    const dump = join(cluster.folder, 'dump')
    await cluster.atOnce([
      [
        'api-resources --api-group=apps',
        'NAME                  SHORTNAMES   APIVERSION   NAMESPACED   KIND\ncontrollerrevisions                apps/v1      true         ControllerRevision\ndaemonsets            ds           apps/v1      true         DaemonSet\ndeployments           deploy       apps/v1      true         Deployment\nreplicasets           rs           apps/v1      true         ReplicaSet\nstatefulsets          sts          apps/v1      true         StatefulSet\n',
      ],
      ['api-resources --namespaced=false --verbs=list,watch -o name', /^namespaces\nnodes\npersistentvolumes\n/],
      [
        'api-resources --categories=all --no-headers -o name',
        /^pods\nreplicationcontrollers\nservices\ndaemonsets\.apps\n/,
      ],
      [
        'api-resources -o wide --api-group=policy',
        /poddisruptionbudgets +pdb +policy\/v1 +true +PodDisruptionBudget +create,delete,deletecollection,get,list,patch,update,watch/,
      ],
      ['api-versions', /^admissionregistration\.k8s\.io\/v1\n[\s\S]*\nstorage\.k8s\.io\/v1\nv1\n$/],
      ['cluster-info', /^.*Kubernetes control plane.* is running at .*https:\/\/127\.0\.0\.1:\d+.*\n/],
      [`cluster-info dump --output-directory=${dump} --namespaces=read`, `Cluster info dumped to ${dump}\n`],
    ])
    expect(readdirSync(join(dump, 'read')).sort()).toEqual(
      ['daemonsets', 'deployments', 'events', 'pods', 'replicasets', 'replication-controllers', 'services']
        .map((kind) => `${kind}.json`)
        .concat('one', 'two')
        .sort(),
    )
    expect(readFileSync(join(dump, 'read/one/logs.txt'), 'utf8')).toContain('ready for start up')
  })

  it.concurrent('explain', async () => {
    await cluster.atOnce([
      [
        'explain pod.spec.containers.ports.protocol',
        'KIND:       Pod\nVERSION:    v1\n\nFIELD: protocol <string>\nENUM:\n    SCTP\n    TCP\n    UDP\n\nDESCRIPTION:\n    Protocol for port. Must be UDP, TCP, or SCTP. Defaults to "TCP".\n    \n\n',
      ],
      // What a field refers to is shown with its own text after the field's.
      [
        'explain cronjob.spec.jobTemplate',
        /DESCRIPTION:\n {4}Specifies the job that will be created when executing a CronJob\.\n {4}JobTemplateSpec describes the data a Job should have when created from a\n {4}template\n {4}\nFIELDS:\n/,
      ],
      [
        'explain deployment.spec.strategy --recursive',
        /FIELDS:\n {2}rollingUpdate\t<RollingUpdateDeployment>\n {4}maxSurge\t<IntOrString>\n {4}maxUnavailable\t<IntOrString>\n {2}type\t<string>\n {2}enum: Recreate, RollingUpdate\n/,
      ],
      [
        'explain deployments --output=plaintext-openapiv2',
        /^KIND: {5}Deployment\nVERSION: {2}apps\/v1\n\nDESCRIPTION:\n {5}Deployment enables declarative updates for Pods and ReplicaSets\.\n\nFIELDS:\n {3}apiVersion\t<string>\n/,
      ],
      [
        'explain hpa --api-version=autoscaling/v1',
        /^GROUP: {6}autoscaling\nKIND: {7}HorizontalPodAutoscaler\nVERSION: {4}v1\n/,
      ],
    ])
    expect(await cluster.fails('explain pod.nope')).toBe('error: field "nope" does not exist\n')
  })

  it.concurrent('raw paths', async () => {
    await cluster.atOnce([
      ['get --raw /healthz', 'ok'],
      ['get --raw /readyz?verbose', /\[\+\]ping ok\n[\s\S]*readyz check passed\n$/],
      ['get --raw /version', /"gitVersion": ?"v1\.34\./],
      [
        'get --raw /api/v1/namespaces/read/pods?limit=1',
        /^\{"kind":"PodList","apiVersion":"v1","metadata":\{"resourceVersion":"\d+","continue":"\w+","remainingItemCount":1\},"items":\[/,
      ],
      ['get --raw /apis/apps/v1/namespaces/read/deployments?watch=1&timeoutSeconds=1', ''],
      ['get --raw /api/v1/namespaces/read/pods/one/log?tailLines=1', /^.+\n$/],
    ])
    const raw = await cluster.ok(
      'create --raw /api/v1/namespaces/read/configmaps -f -',
      '{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"raw"}}',
    )
    expect(JSON.parse(raw)).toMatchObject({ kind: 'ConfigMap', metadata: { name: 'raw', namespace: 'read' } })
    expect(JSON.parse(await cluster.ok('delete --raw /api/v1/namespaces/read/configmaps/raw'))).toMatchObject({
      kind: 'Status',
      status: 'Success',
      details: { name: 'raw', kind: 'configmaps' },
    })
    expect(await cluster.fails('get --raw /nope')).toBe(
      'Error from server (NotFound): the server could not find the requested resource\n',
    )
  })

  it.concurrent('proxy', async () => {
    const said = background(['proxy', '--port=0'])
    const port = /:(\d+)\n/.exec(await heard(said, /Starting to serve on 127\.0\.0\.1:\d+\n/))?.[1]
    const get = (path: string): Promise<Response> => fetch(`http://127.0.0.1:${port}${path}`)
    expect(await (await get('/api/v1/namespaces/read/pods/two')).json()).toMatchObject({
      kind: 'Pod',
      metadata: { name: 'two' },
    })
    expect(await (await get('/api/v1/namespaces/read/pods/two/log')).text()).toContain('ready for start up')
    expect((await get('/api/v1/namespaces/read/pods/two/exec')).status).toBe(403)
    expect(await (await get('/api/v1/namespaces/read/pods/nobody')).json()).toMatchObject({
      reason: 'NotFound',
      code: 404,
    })
  })
})
