// Nodes as administrators treat them: cordon, taint, drain against disruption budgets and DaemonSets; and who may sign.

import { execFileSync } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { hasKubectl, kubectlFor } from '../support/kubectl.ts'
import { type KubectlCluster, startKubectlCluster } from '../support/kubectl-cluster.ts'

const workloads = `
apiVersion: apps/v1
kind: Deployment
metadata: {name: web}
spec:
  replicas: 2
  selector: {matchLabels: {app: web}}
  template:
    metadata: {labels: {app: web}}
    spec:
      terminationGracePeriodSeconds: 1
      topologySpreadConstraints:
      - {maxSkew: 1, topologyKey: kubernetes.io/hostname, whenUnsatisfiable: ScheduleAnyway, labelSelector: {matchLabels: {app: web}}}
      containers: [{name: c, image: "nginx:1.29"}]
---
apiVersion: apps/v1
kind: DaemonSet
metadata: {name: ds}
spec:
  selector: {matchLabels: {app: ds}}
  template: {metadata: {labels: {app: ds}}, spec: {terminationGracePeriodSeconds: 1, containers: [{name: c, image: "nginx:1.29"}]}}
---
apiVersion: policy/v1
kind: PodDisruptionBudget
metadata: {name: guarded}
spec: {minAvailable: 1, selector: {matchLabels: {app: guarded}}}
---
apiVersion: v1
kind: Pod
metadata: {name: guarded, labels: {app: guarded}}
spec: {terminationGracePeriodSeconds: 1, nodeName: node-1, containers: [{name: c, image: "nginx:1.29"}]}
---
apiVersion: v1
kind: Pod
metadata: {name: scratch}
spec:
  terminationGracePeriodSeconds: 1
  nodeName: node-1
  containers: [{name: c, image: "nginx:1.29", volumeMounts: [{name: e, mountPath: /e}]}]
  volumes: [{name: e, emptyDir: {}}]
`

describe.skipIf(!hasKubectl)('kubectl and nodes', { timeout: 90_000 }, () => {
  let cluster: KubectlCluster
  beforeAll(async () => {
    cluster = await startKubectlCluster()
  })
  afterAll(() => cluster?.stop())

  it.concurrent('cordon, drain, uncordon', async () => {
    const n = await cluster.fresh('drained')
    await cluster.ok(`apply -f - ${n}`, workloads)
    await cluster.ok(`rollout status daemonset/ds ${n} --timeout=30s`)
    await cluster.ok(`wait pod/guarded pod/scratch --for=condition=Ready ${n} --timeout=30s`)
    await cluster.inOrder([
      ['cordon node-1', 'node/node-1 cordoned\n'],
      ['cordon node-1', 'node/node-1 already cordoned\n'],
      ['get node node-1', /\nnode-1 +Ready,SchedulingDisabled +<none> +\d+s +v1\.34\.\d+\n$/],
    ])
    const refused = await cluster.fails('drain node-1 --timeout=5s')
    expect(refused).toContain('error: unable to drain node "node-1" due to error')
    expect(refused).toMatch(
      /^cannot delete DaemonSet-managed Pods \(use --ignore-daemonsets to ignore\): drained\/ds-\w+$/m,
    )
    expect(refused).toMatch(
      /^cannot delete Pods with local storage \(use --delete-emptydir-data to override\): drained\/scratch$/m,
    )
    expect(refused).toMatch(
      /^cannot delete .*Pods that declare no controller \(use --force to override\): drained\/guarded$/m,
    )
    const all = 'drain node-1 --ignore-daemonsets --delete-emptydir-data --force'
    const late = await cluster.kubectl(`${all} --timeout=2s`)
    expect(late.code).toBe(1)
    expect(late.stdout).toContain('pod/scratch evicted\n')
    expect(late.stderr).toContain(
      'error when evicting pods/"guarded" -n "drained" (will retry after 5s): Cannot evict pod as it would violate the pod\'s disruption budget.\n',
    )
    await cluster.ok(`delete pdb guarded ${n}`)
    expect(await cluster.ok(`${all} --timeout=20s`)).toMatch(/pod\/guarded evicted\nnode\/node-1 drained\n$/)
    expect(await cluster.ok(`get pods ${n} --field-selector=spec.nodeName=node-1 -o name`)).toMatch(/^pod\/ds-\w+\n$/)
    await cluster.ok(`rollout status deployment/web ${n} --timeout=30s`)
    await cluster.inOrder([
      ['uncordon node-1', 'node/node-1 uncordoned\n'],
      ['uncordon node-1', 'node/node-1 already uncordoned\n'],
    ])
  })

  it.concurrent('taint', async () => {
    await cluster.inOrder([
      ['taint nodes node-2 k=v:NoSchedule', 'node/node-2 tainted\n'],
      ['taint nodes node-2 k=w:NoSchedule --overwrite', 'node/node-2 modified\n'],
      ['get node node-2 -o jsonpath={.spec.taints}', '[{"effect":"NoSchedule","key":"k","value":"w"}]'],
    ])
    await cluster.refused([
      [
        'taint nodes node-2 k=x:NoSchedule',
        'error: node node-2 already has k taint(s) with same effect(s) and --overwrite is false\n',
      ],
      ['taint nodes node-2 k=x:Nonsense', /invalid taint effect: Nonsense/],
      ['taint nodes node-2 other-', /^error: taint "other" not found\n$/],
    ])
    await cluster.inOrder([
      ['taint nodes node-2 k-', 'node/node-2 untainted\n'],
      [
        'taint nodes -l kubernetes.io/os=linux a=b:PreferNoSchedule',
        'node/node-0 tainted\nnode/node-1 tainted\nnode/node-2 tainted\n',
      ],
      [
        'taint nodes --all a:PreferNoSchedule-',
        'node/node-0 untainted\nnode/node-1 untainted\nnode/node-2 untainted\n',
      ],
    ])
  })

  it.concurrent('certificate approve and deny', async ({ skip }) => {
    const [key, csr] = [join(cluster.folder, 'u.key'), join(cluster.folder, 'u.csr')]
    const options = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes', '-subj', '/CN=jane/O=devs']
    try {
      execFileSync('openssl', ['req', '-new', ...options, '-keyout', key, '-out', csr], { stdio: 'ignore' })
    } catch {
      skip('openssl, which makes the request, is not installed')
    }
    const spec = {
      request: readFileSync(csr).toString('base64'),
      signerName: 'kubernetes.io/kube-apiserver-client',
      usages: ['client auth'],
      expirationSeconds: 7200,
    }
    const request = (name: string): string =>
      JSON.stringify({
        apiVersion: 'certificates.k8s.io/v1',
        kind: 'CertificateSigningRequest',
        metadata: { name },
        spec,
      })
    await cluster.ok('create -f -', request('jane'))
    await cluster.ok('create -f -', request('bad'))
    await cluster.inOrder([
      [
        'get csr',
        /^NAME +AGE +SIGNERNAME +REQUESTOR +REQUESTEDDURATION +CONDITION\nbad +\d+s +kubernetes\.io\/kube-apiserver-client +kubernetes-admin +120m +Pending\njane .* Pending\n$/,
      ],
      ['certificate approve jane', 'certificatesigningrequest.certificates.k8s.io/jane approved\n'],
      ['certificate deny bad', 'certificatesigningrequest.certificates.k8s.io/bad denied\n'],
      ['wait csr/jane --for=jsonpath={.status.certificate} --timeout=20s', /condition met/],
      ['get csr', /\nbad .* Denied\njane .* Approved,Issued\n$/],
      [
        'get csr jane -o jsonpath={.status.conditions[0].message}',
        'This CSR was approved by kubectl certificate approve.',
      ],
    ])
    await cluster.refused([
      ['certificate approve bad', 'error: certificate signing request "bad" is already Denied\n'],
      [
        'certificate deny nobody',
        'Error from server (NotFound): certificatesigningrequests.certificates.k8s.io "nobody" not found\n',
      ],
    ])
    const config = JSON.parse(await cluster.ok('config view --raw -o json')) as { users: { user: unknown }[] }
    const certificate = await cluster.ok('get csr jane -o jsonpath={.status.certificate}')
    for (const entry of config.users)
      entry.user = { 'client-certificate-data': certificate, 'client-key-data': readFileSync(key).toString('base64') }
    const kubeconfig = join(cluster.folder, 'jane.kubeconfig')
    writeFileSync(kubeconfig, JSON.stringify(config), { mode: 0o600 })
    const jane = await kubectlFor(kubeconfig)('auth whoami')
    expect(jane.stdout).toMatch(/^Username +jane$/m)
    expect(jane.stdout).toMatch(/^Groups +\[devs system:authenticated\]$/m)
  })
})
