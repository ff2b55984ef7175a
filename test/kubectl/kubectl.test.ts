// What people do with kubectl, done with the real one against a daemon.

import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { definitionOf, objectOf, Widget } from '../support/custom-kinds.ts'
import { eventually, hasKubectl } from '../support/kubectl.ts'
import { type KubectlCluster, startKubectlCluster } from '../support/kubectl-cluster.ts'

const web = (image: string, replicas = 2): string => `
apiVersion: apps/v1
kind: Deployment
metadata: {name: web, labels: {app: web}}
spec:
  replicas: ${replicas}
  selector: {matchLabels: {app: web}}
  template:
    metadata: {labels: {app: web}}
    spec:
      terminationGracePeriodSeconds: 1
      containers: [{name: web, image: "${image}", ports: [{containerPort: 80}]}]
---
apiVersion: v1
kind: Service
metadata: {name: web}
spec: {selector: {app: web}, ports: [{port: 80}]}
`

const pod = (name: string, extra = ''): string =>
  `{"apiVersion":"v1","kind":"Pod","metadata":{"name":"${name}","labels":{"run":"${name}"}},"spec":{"terminationGracePeriodSeconds":1,"containers":[{"name":"main","image":"nginx:1.29"}]${extra}}}`

describe.skipIf(!hasKubectl)('kubectl', () => {
  let cluster: KubectlCluster
  let folder: KubectlCluster['folder']
  let kubectl: KubectlCluster['kubectl']
  let ok: KubectlCluster['ok']
  let fresh: KubectlCluster['fresh']

  beforeAll(async () => {
    cluster = await startKubectlCluster()
    ;({ folder, kubectl, ok, fresh } = cluster)
  })
  afterAll(async () => {
    await cluster?.stop()
  })

  it('says that a kind is not installed', async () => {
    for (const verb of ['create', 'apply', 'apply --server-side', 'diff']) {
      const { code, stderr } = await kubectl(`${verb} -f -`, {
        input: '{"apiVersion":"example.com/v1","kind":"Nothing","metadata":{"name":"a"}}',
      })
      expect(code, verb).not.toBe(0)
      expect(stderr, verb).toContain('no matches for kind "Nothing" in version "example.com/v1"')
    }
    expect(await ok('explain pod.spec.hostname --output=plaintext-openapiv2')).toContain('Specifies the hostname')
  })

  it('speaks HTTP/2 by itself, and HTTP/1.1 when told to', async () => {
    const agreed = async (env: Readonly<Record<string, string>>): Promise<boolean> => {
      const { code, stderr } = await kubectl('get namespaces', { env: { GODEBUG: 'http2debug=1', ...env } })
      expect(code).toBe(0)
      return stderr.includes('Transport received HEADERS')
    }
    expect([await agreed({}), await agreed({ DISABLE_HTTP2: '1' })]).toEqual([true, false])
  })

  it('version, api-resources, api-versions, explain', async () => {
    expect(await ok('version')).toMatch(/Server Version: v1\.34\./)
    const resources = await ok('api-resources')
    expect(resources).toMatch(/^deployments +deploy +apps\/v1 +true +Deployment$/m)
    expect(resources).toMatch(/^applications +app,apps +argoproj.io\/v1alpha1 +true +Application$/m)
    expect(await ok('api-versions')).toContain('events.k8s.io/v1')
    const explained = await ok('explain deployment.spec')
    expect(explained).toContain('revisionHistoryLimit')
    expect(explained).toMatch(/Number of desired pods/)
    expect(await ok('explain application.spec.source')).toContain('repoURL')
  })

  it('apply, get in every format, describe, events', async () => {
    const n = await fresh('reading')
    expect(await ok(`apply ${n} -f -`, web('nginx:1.29'))).toBe('deployment.apps/web created\nservice/web created\n')
    await ok(`rollout status ${n} deployment/web --timeout=30s`)
    expect(await ok(`get deployments ${n}`)).toMatch(
      /^NAME +READY +UP-TO-DATE +AVAILABLE +AGE\nweb +2\/2 +2 +2 +\d+s\n$/,
    )
    expect(await ok(`get pods ${n} -o wide`)).toMatch(/IP +NODE +NOMINATED NODE +READINESS GATES/)
    expect(await ok(`get pods ${n} -o name`)).toMatch(/^(pod\/web-[a-z0-9]+-[a-z0-9]{5}\n){2}$/)
    expect(await ok(`get deployment web ${n} -o jsonpath='{.spec.replicas}'`)).toBe('2')
    expect(await ok(`get deployment web ${n} -o yaml`)).toContain('kubectl.kubernetes.io/last-applied-configuration')
    expect(
      JSON.parse(await ok(`get all ${n} -o json`))
        .items.map(({ kind }: { kind: string }) => kind)
        .sort(),
    ).toEqual(['Deployment', 'Pod', 'Pod', 'ReplicaSet', 'Service'])
    expect(await ok(`get pods ${n} -l app=web --field-selector status.phase=Running -o name`)).toMatch(
      /^(pod\/.+\n){2}$/,
    )
    expect(await ok('get pods -A')).toMatch(/^NAMESPACE +NAME/)
    const described = await ok(`describe deployment web ${n}`)
    expect(described).toMatch(
      /ScalingReplicaSet +\S+ +deployment-controller +Scaled up replica set web-\w+ from 0 to 2/,
    )
    expect(await ok(`describe pod ${n} -l app=web`)).toMatch(
      /Normal +Scheduled .*default-scheduler +Successfully assigned reading\/web-/,
    )
    expect(await ok(`describe service web ${n}`)).toMatch(/Endpoints: +\d+\.\d+\.\d+\.\d+:80,/)
    expect(await ok(`events ${n} --for deployment/web`)).toContain('ScalingReplicaSet')
    expect(await ok('describe node node-0')).toMatch(/Allocated resources/)
  })

  it('apply again, diff, server-side apply with a conflict', async () => {
    const n = await fresh('applying')
    await ok(`apply ${n} -f -`, web('nginx:1.29'))
    expect(await ok(`apply ${n} -f -`, web('nginx:1.29'))).toBe(
      'deployment.apps/web unchanged\nservice/web unchanged\n',
    )
    const diff = await kubectl(`diff ${n} -f -`, { input: web('nginx:1.30') })
    expect(diff.code).toBe(1)
    expect(diff.stdout).toMatch(/^- +- image: nginx:1.29$/m)
    expect(diff.stdout).toMatch(/^\+ +- image: nginx:1.30$/m)
    expect(await ok(`apply ${n} -f -`, web('nginx:1.30'))).toBe(
      'deployment.apps/web configured\nservice/web unchanged\n',
    )
    const conflict = await kubectl(`apply ${n} --server-side --field-manager=other -f -`, { input: web('nginx:1.31') })
    expect(conflict.stderr).toContain(
      'Apply failed with 1 conflict: conflict with "kubectl-client-side-apply" using apps/v1: .spec.template.spec.containers[name="web"].image',
    )
    expect(
      await ok(`apply ${n} --server-side --force-conflicts --field-manager=other -f -`, web('nginx:1.31')),
    ).toContain('deployment.apps/web serverside-applied')
    expect(await ok(`apply ${n} --dry-run=server -f -`, web('nginx:1.32'))).toContain('configured (server dry run)')
    expect(await ok(`get deployment web ${n} -o jsonpath='{.spec.template.spec.containers[0].image}'`)).toBe(
      'nginx:1.31',
    )
  })

  it('create, edit, patch, label, annotate, set image, scale', async () => {
    const n = await fresh('editing')
    await ok(`create deployment web ${n} --image=nginx:1.29 --replicas=1`)
    await ok(`create configmap settings ${n} --from-literal=a=1`)
    await ok(`create secret generic token ${n} --from-literal=value=secret`)
    await ok(`label deployment web ${n} tier=front`)
    await ok(`annotate deployment web ${n} note='a b'`)
    await ok(`set image deployment/web ${n} nginx=nginx:1.30`)
    await ok(`scale deployment web ${n} --replicas=3`)
    await ok(
      `patch deployment web ${n} -p '{"spec":{"template":{"spec":{"containers":[{"name":"nginx","env":[{"name":"A","value":"1"}]}]}}}}'`,
    )
    await ok(`patch deployment web ${n} --type=json -p '[{"op":"add","path":"/spec/minReadySeconds","value":1}]'`)
    await ok(`patch configmap settings ${n} --type=merge -p '{"data":{"b":"2"}}'`)
    const editor = join(folder, 'editor.mjs')
    writeFileSync(
      editor,
      `import fs from 'node:fs'; const f = process.argv[2]; fs.writeFileSync(f, fs.readFileSync(f, 'utf8').replace('replicas: 3', 'replicas: 4'))`,
    )
    const edited = await kubectl(`edit deployment web ${n}`, { env: { KUBE_EDITOR: `${process.execPath} ${editor}` } })
    expect(edited.stdout).toBe('deployment.apps/web edited\n')
    const live = JSON.parse(await ok(`get deployment web ${n} -o json`))
    expect(live.spec).toMatchObject({
      replicas: 4,
      minReadySeconds: 1,
      template: { spec: { containers: [{ image: 'nginx:1.30', env: [{ name: 'A', value: '1' }] }] } },
    })
    expect(live.metadata.labels.tier).toBe('front')
    expect(JSON.parse(await ok(`get configmap settings ${n} -o json`)).data).toEqual({ a: '1', b: '2' })
    const invalid = await kubectl(`patch deployment web ${n} -p '{"spec":{"replicas":-1}}'`)
    expect(invalid.stderr).toContain(
      'The Deployment "web" is invalid: spec.replicas: Invalid value: -1: must be greater than or equal to 0',
    )
  })

  it('rollout status, history, undo, pause, resume, restart', async () => {
    const n = await fresh('rolling')
    await ok(`apply ${n} -f -`, web('nginx:1.29'))
    await ok(`rollout status ${n} deployment/web --timeout=30s`)
    await ok(`set image deployment/web ${n} web=nginx:1.30`)
    await ok(`rollout status ${n} deployment/web --timeout=30s`)
    expect(await ok(`rollout history ${n} deployment/web`)).toMatch(/REVISION +CHANGE-CAUSE\n1 +<none>\n2 +<none>/)
    expect(await ok(`rollout undo ${n} deployment/web`)).toContain('rolled back')
    await ok(`rollout status ${n} deployment/web --timeout=30s`)
    expect(await ok(`get deployment web ${n} -o jsonpath='{.spec.template.spec.containers[0].image}'`)).toBe(
      'nginx:1.29',
    )
    await ok(`rollout pause ${n} deployment/web`)
    await ok(`set image deployment/web ${n} web=nginx:1.31`)
    expect(await ok(`get pods ${n} -o jsonpath='{.items[*].spec.containers[0].image}'`)).not.toContain('1.31')
    await ok(`rollout resume ${n} deployment/web`)
    await ok(`rollout restart ${n} deployment/web`)
    await ok(`rollout status ${n} deployment/web --timeout=30s`)
    expect(await ok(`wait ${n} deployment/web --for=condition=Available --timeout=20s`)).toContain('condition met')
  })

  it('delete with each cascade, force, and wait for it', async () => {
    const n = await fresh('deleting')
    await ok(`apply ${n} -f -`, web('nginx:1.29'))
    await ok(`rollout status ${n} deployment/web --timeout=30s`)
    await ok(`delete deployment web ${n} --cascade=orphan`)
    expect(await ok(`get replicasets ${n} -o name`)).toMatch(/^replicaset/)
    await ok(`delete replicasets ${n} --all --cascade=foreground`)
    expect(await ok(`get pods ${n} -o name`)).toBe('')
    await ok(`apply ${n} -f -`, web('nginx:1.29'))
    await ok(`rollout status ${n} deployment/web --timeout=30s`)
    await ok(`delete deployment web ${n} --cascade=background`)
    await eventually(
      () => kubectl(`get pods,replicasets ${n} -o name`),
      ({ stdout }) => stdout === '',
    )
    await ok(`apply ${n} -f -`, pod('stubborn'))
    await ok(`wait ${n} pod/stubborn --for=condition=Ready --timeout=20s`)
    await ok(`delete pod stubborn ${n} --grace-period=0 --force`)
    expect((await kubectl(`get pod stubborn ${n}`)).stderr).toContain(
      'Error from server (NotFound): pods "stubborn" not found',
    )
    await ok('delete namespace deleting --timeout=30s')
    expect((await kubectl('get namespace deleting')).code).toBe(1)
  })

  it('logs, and a watch that ends with its command', async () => {
    const n = await fresh('watching')
    const watch = kubectl(`get pods ${n} -w`, { until: (printed) => /one +1\/1 +Running/.test(printed) })
    await ok(`apply ${n} -f -`, pod('one'))
    await ok(`wait ${n} pod/one --for=condition=Ready --timeout=20s`)
    expect(await ok(`logs one ${n}`)).not.toBe('')
    expect((await ok(`logs one ${n} --tail=1`)).trim().split('\n')).toHaveLength(1)
    expect((await kubectl(`logs one ${n} -c absent`)).stderr).toContain('container absent is not valid for pod one')
    expect((await watch).stdout).toMatch(/one +0\/1 +Pending[\s\S]*one +1\/1 +Running/)
  })

  it('cordon, taint, uncordon; unschedulable pods say why', async () => {
    const n = await fresh('placing')
    for (const node of ['node-0', 'node-1', 'node-2']) await ok(`cordon ${node}`)
    expect(await ok('get nodes')).toMatch(/node-0 +Ready,SchedulingDisabled/)
    await ok(`apply ${n} -f -`, pod('waits'))
    const refused = await eventually(
      () => kubectl(`events ${n} --for pod/waits`),
      ({ stdout }) => stdout.includes('FailedScheduling'),
    )
    expect(refused.stdout).toContain(
      '0/3 nodes are available: 3 node(s) were unschedulable. no new claims to deallocate, preemption: 0/3 nodes are available: 3 Preemption is not helpful for scheduling.',
    )
    await ok('uncordon node-1')
    await ok(`wait ${n} pod/waits --for=condition=Ready --timeout=30s`)
    await ok('taint node node-1 dedicated=db:NoSchedule')
    await ok(`apply ${n} -f -`, pod('tainted'))
    await eventually(
      () => kubectl(`events ${n} --for pod/tainted`),
      ({ stdout }) => stdout.includes('1 node(s) had untolerated taint(s)'),
    )
    await ok('taint node node-1 dedicated:NoSchedule-')
    await ok('uncordon node-0')
    await ok('uncordon node-2')
    await ok(`wait ${n} pod/tainted --for=condition=Ready --timeout=30s`)
  })

  it('custom resources: a definition, its instances, their columns', async () => {
    const n = await fresh('custom')
    const properties = { size: { type: 'integer', minimum: 1 }, colour: { type: 'string', default: 'red' } }
    const spec = { ...objectOf(properties), required: ['size'] }
    const version = {
      additionalPrinterColumns: [{ name: 'Size', type: 'integer', jsonPath: '.spec.size' }],
      schema: { openAPIV3Schema: objectOf({ spec }) },
    }
    const definition = definitionOf(Widget, { names: { shortNames: ['wd'] }, versions: [version] })
    await ok('apply -f -', JSON.stringify(definition))
    await ok('wait crd/widgets.example.com --for=condition=Established --timeout=20s')
    const widget = (size: number): string =>
      JSON.stringify({ apiVersion: 'example.com/v1', kind: 'Widget', metadata: { name: 'a' }, spec: { size } })
    await ok(`apply ${n} -f -`, widget(3))
    expect(await ok(`get wd ${n}`)).toMatch(/^NAME +SIZE\na +3\n$/)
    expect(await ok(`get widget a ${n} -o jsonpath='{.spec.colour}'`)).toBe('red')
    expect((await kubectl(`apply ${n} -f -`, { input: widget(0) })).stderr).toContain(
      'spec.size in body should be greater than or equal to 1',
    )
    await ok('delete crd widgets.example.com --timeout=30s')
    expect((await kubectl(`get wd ${n}`)).code).toBe(1)
  })

  it('says who may do what', async () => {
    expect(await ok('auth can-i delete pods')).toBe('yes\n')
    expect(await ok('auth whoami')).toMatch(/Username/)
    expect(readFileSync(join(folder, 'kubeconfig'), 'utf8')).toContain('127.0.0.1')
  })
})
