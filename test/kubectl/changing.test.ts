// Objects that kubectl changes and removes: replace, patch of each type, apply with its kinds of pruning and of conflicts,
// diff, kustomize, edit, delete.

import { chmodSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { eventually, hasKubectl } from '../support/kubectl.ts'
import { type KubectlCluster, startKubectlCluster } from '../support/kubectl-cluster.ts'

const configMap = (name: string, value: string): string => `
apiVersion: v1
kind: ConfigMap
metadata: {name: ${name}, labels: {app: pruned}}
data: {a: "${value}"}
`
const deployment = (name: string, replicas = 1, image = 'nginx:1.29'): string => `
apiVersion: apps/v1
kind: Deployment
metadata: {name: ${name}, labels: {app: pruned}}
spec:
  replicas: ${replicas}
  selector: {matchLabels: {app: ${name}}}
  template:
    metadata: {labels: {app: ${name}}}
    spec: {terminationGracePeriodSeconds: 1, containers: [{name: c, image: "${image}"}]}
`
const secret = (name: string): string => `
apiVersion: v1
kind: Secret
metadata: {name: ${name}, labels: {app: pruned}}
`
const files = (...manifests: readonly string[]): string => manifests.join('---')

describe.skipIf(!hasKubectl)('kubectl changes objects', { timeout: 90_000 }, () => {
  let cluster: KubectlCluster
  beforeAll(async () => {
    cluster = await startKubectlCluster()
  })
  afterAll(() => cluster?.stop())

  const written = (name: string, text: string): string => {
    const path = join(cluster.folder, name)
    writeFileSync(path, text)
    return path
  }
  /** A program in the place of the editor: a line of sed. */
  const editor = (name: string, script: string): { readonly env: Readonly<Record<string, string>> } => {
    const path = written(name, `#!/bin/sh\n${script}\n`)
    chmodSync(path, 0o755)
    return { env: { KUBE_EDITOR: path } }
  }

  it.concurrent('replace, with and without --force', async () => {
    const n = await cluster.fresh('replacing')
    await cluster.ok(`create configmap cm --from-literal=x=y ${n}`)
    await cluster.ok(`run web --image=nginx:1.29 ${n}`)
    const [map, pod] = await Promise.all([
      cluster.ok(`get configmap cm -o yaml ${n}`),
      cluster.ok(`get pod web -o json ${n}`),
    ])
    const live = written('live.yaml', map.replace('x: "y"', 'x: z').replace('x: y', 'x: z'))
    expect(await cluster.ok(`replace -f ${live} ${n}`)).toBe('configmap/cm replaced\n')
    expect(await cluster.ok(`get configmap cm -o jsonpath={.data.x} ${n}`)).toBe('z')
    const other = written('other.json', pod.replace('"uid": "', '"uid": "0'))
    const absent = written('absent.yaml', configMap('absent', '1'))
    await cluster.refused([
      [
        `replace -f ${live} ${n}`,
        `Error from server (Conflict): error when replacing "${live}": Operation cannot be fulfilled on configmaps "cm": the object has been modified; please apply your changes to the latest version and try again\n`,
      ],
      [
        `replace -f ${other} ${n}`,
        /Operation cannot be fulfilled on pods "web": .*Precondition failed: UID in precondition: 0\S+, UID in object meta: \S+\n$/,
      ],
      [
        `replace -f ${absent} ${n}`,
        `Error from server (NotFound): error when replacing "${absent}": configmaps "absent" not found\n`,
      ],
    ])
    const uid = `get pod web -o jsonpath={.metadata.uid} ${n}`
    const before = await cluster.ok(uid)
    const forced = await cluster.ok(`replace --force --grace-period=0 -f ${written('pod.json', pod)} ${n}`)
    expect(forced).toMatch(/^pod "web" (force )?deleted.*\npod\/web replaced\n$/)
    expect(await cluster.ok(uid)).not.toBe(before)
  })

  it.concurrent('patch: strategic, merge, json, and of subresources', async () => {
    const n = await cluster.fresh('patching')
    await cluster.ok(`apply ${n} -f -`, files(deployment('web'), configMap('cm', '1')))
    const sized = {
      spec: { containers: [{ name: 'pod', image: 'nginx:1.29', resources: { requests: { cpu: '5m' } } }] },
    }
    await cluster.ok(`run pod --image=nginx:1.29 ${n} --overrides='${JSON.stringify(sized)}'`)
    await cluster.ok(`run plain --image=nginx:1.29 ${n}`)
    const patched = 'deployment.apps/web patched\n'
    const image = 'jsonpath={.spec.template.spec.containers[*].image}'
    await cluster.inOrder([
      [
        `patch deployment web ${n} -p '{"spec":{"template":{"spec":{"containers":[{"name":"d","image":"nginx:1.30"}]}}}}'`,
        patched,
      ],
      [`get deployment web ${n} -o ${image}`, 'nginx:1.30 nginx:1.29'],
      [
        `patch deployment web ${n} -p '{"spec":{"template":{"spec":{"containers":[{"name":"d","$patch":"delete"}]}}}}'`,
        patched,
      ],
      [`patch deployment web ${n} -p '{"spec":{"strategy":{"$retainKeys":["type"],"type":"Recreate"}}}'`, patched],
      [`get deployment web ${n} -o jsonpath={.spec.strategy}`, '{"type":"Recreate"}'],
      [
        `patch deployment web ${n} --type=merge -p '{"spec":{"replicas":2},"metadata":{"labels":{"app":null}}}'`,
        patched,
      ],
      [
        `patch deployment web ${n} --type=merge -p '{"spec":{"replicas":2}}'`,
        'deployment.apps/web patched (no change)\n',
      ],
      [
        `patch deployment web ${n} --type=json -p '[{"op":"test","path":"/spec/replicas","value":2},{"op":"replace","path":"/spec/replicas","value":3}]'`,
        patched,
      ],
      [
        `patch deployment web ${n} --subresource=scale --type=merge -p '{"spec":{"replicas":1}}'`,
        'scale.autoscaling/web patched\n',
      ],
      [`get deployment web ${n} --subresource=scale`, /^NAME +DESIRED +AVAILABLE +AGE\nweb +1 +\d +\d+s\n$/],
      [`get deployment web ${n} --subresource=status`, /^NAME +READY +UP-TO-DATE +AVAILABLE +AGE\nweb /],
      [
        `patch deployment web ${n} --subresource=status --type=merge -p '{"status":{"collisionCount":7},"spec":{"replicas":9}}'`,
        patched,
      ],
      [`get deployment web ${n} -o jsonpath='{.spec.replicas} {.status.collisionCount}'`, '1 7'],
      [
        `patch pod pod ${n} --subresource=resize -p '{"spec":{"containers":[{"name":"pod","resources":{"requests":{"cpu":"10m"}}}]}}'`,
        'pod/pod patched\n',
      ],
      [
        `patch pod pod ${n} -p '{"spec":{"containers":[{"name":"pod","image":"nginx:1.30"}]}}' -o jsonpath={.spec.containers[0].image}`,
        'nginx:1.30',
      ],
      [`patch configmap cm ${n} --dry-run=server -p '{"data":{"a":"9"}}' -o jsonpath={.data.a}`, '9'],
      [`get configmap cm ${n} -o jsonpath={.data.a}`, '1'],
    ])
    const invalid = 'The request is invalid: the server rejected our request due to an error in our request\n'
    await cluster.refused([
      [`patch deployment web ${n} --type=json -p '[{"op":"test","path":"/spec/replicas","value":9}]'`, invalid],
      [`patch deployment web ${n} --type=json -p '[{"op":"remove","path":"/spec/nope"}]'`, invalid],
      [
        `patch deployment web ${n} --type=merge -p '{"spec":{"replicas":"x"}}'`,
        /json: cannot unmarshal string into Go struct field DeploymentSpec\.spec\.replicas of type int32\n$/,
      ],
      [
        `patch deployment web ${n} -p '{"spec":{"selector":{"matchLabels":{"x":"y"}}}}'`,
        /^The Deployment "web" is invalid: \n.*`selector` does not match template `labels`\n.*spec\.selector: Invalid value: .*: field is immutable\n$/s,
      ],
      [
        `patch pod pod ${n} -p '{"spec":{"containers":[{"name":"pod","ports":[{"containerPort":81}]}]}}'`,
        /^The Pod "pod" is invalid: spec: Forbidden: pod updates may not change fields other than `spec\.containers\[\*\]\.image`/,
      ],
      [`patch pod nobody ${n} -p '{}'`, 'Error from server (NotFound): pods "nobody" not found\n'],
      [
        `patch pod plain ${n} --subresource=resize -p '{"spec":{"containers":[{"name":"plain","resources":{"requests":{"cpu":"10m"}}}]}}'`,
        /spec: Invalid value: "BestEffort": Pod QOS Class may not change as a result of resizing/,
      ],
      [`patch pod pod ${n} -p '{bad'`, /invalid character 'b' looking for beginning of object key string/],
      [
        'patch node node-2 -p \'{"spec":{"podCIDR":"1.2.3.0/24"}}\'',
        'The Node "node-2" is invalid: spec.podCIDRs: Forbidden: node updates may not change podCIDR except from "" to valid\n',
      ],
    ])
  })

  it.concurrent('apply --prune: by an allowlist, and by an ApplySet', async () => {
    const n = await cluster.fresh('pruning')
    const [all, one] = [
      written('all.yaml', files(configMap('p1', '1'), secret('p2'), deployment('p3'))),
      written('one.yaml', configMap('p1', '2')),
    ]
    const allow = '--prune-allowlist=core/v1/ConfigMap --prune-allowlist=apps/v1/Deployment'
    await cluster.inOrder([
      [`apply -f ${all} ${n}`, 'configmap/p1 created\nsecret/p2 created\ndeployment.apps/p3 created\n'],
      [
        `apply -f ${one} --prune -l app=pruned ${allow} ${n} --dry-run=server`,
        'configmap/p1 configured (server dry run)\ndeployment.apps/p3 pruned (server dry run)\n',
      ],
      [`apply -f ${one} --prune -l app=pruned ${allow} ${n}`, 'configmap/p1 configured\ndeployment.apps/p3 pruned\n'],
      [`get configmap,secret,deployment -l app=pruned -o name ${n}`, 'configmap/p1\nsecret/p2\n'],
    ])
    const m = await cluster.fresh('applyset')
    const withSets = async (args: string): Promise<string> => {
      const { code, stdout, stderr } = await cluster.kubectl(args, { env: { KUBECTL_APPLYSET: 'true' } })
      expect(`${code} ${stderr}`, args).toMatch(/^0 /)
      return stdout
    }
    expect(await withSets(`apply -f ${all} --prune --applyset=mine ${m}`)).toBe(
      'configmap/p1 created\nsecret/p2 created\ndeployment.apps/p3 created\n',
    )
    const pruned = await withSets(`apply -f ${one} --prune --applyset=mine ${m}`)
    expect(pruned.split('\n').sort()).toEqual([
      '',
      'configmap/p1 configured',
      'deployment.apps/p3 pruned',
      'secret/p2 pruned',
    ])
    const { metadata } = JSON.parse(await cluster.ok(`get secret mine -o json ${m}`))
    expect(metadata.labels).toEqual({ 'applyset.kubernetes.io/id': expect.stringMatching(/^applyset-.{43}-v1$/) })
    expect(metadata.annotations).toMatchObject({ 'applyset.kubernetes.io/contains-group-kinds': 'ConfigMap' })
  })

  it.concurrent('apply --server-side: conflicts, forced, and with what client-side apply left behind', async () => {
    const n = await cluster.fresh('ssa')
    const apply = (more: string, replicas = 1) =>
      cluster.kubectl(`apply ${n} -f - ${more}`, { input: deployment('web', replicas) })
    expect((await apply('--server-side')).stdout).toBe('deployment.apps/web serverside-applied\n')
    await cluster.ok(`scale deployment web --replicas=2 ${n}`)
    await cluster.ok(`set image deployment web c=nginx:1.30 ${n}`)
    const { code, stderr } = await apply('--server-side')
    expect(code).toBe(1)
    expect(stderr.replaceAll('"\n', '" ')).toMatch(
      /^error: Apply failed with 2 conflicts: conflicts with "kubectl" with subresource "scale" using apps\/v1:\n- \.spec\.replicas\nconflicts with "kubectl-set" using apps\/v1:\n- \.spec\.template\.spec\.containers\[name="c"\]\.image\nPlease review the fields above/,
    )
    expect((await apply('--server-side --force-conflicts --field-manager=x')).stdout).toBe(
      'deployment.apps/web serverside-applied\n',
    )
    const managers = await cluster.ok(
      `get deployment web ${n} --show-managed-fields -o jsonpath='{range .metadata.managedFields[*]}{.manager} {.operation} {end}'`,
    )
    expect(managers).toMatch(/^kubectl Apply x Apply (kube-controller-manager Update )?$/)
    const plain = await apply('')
    expect(plain.stdout).toBe('deployment.apps/web configured\n')
    expect(plain.stderr).toContain('is missing the kubectl.kubernetes.io/last-applied-configuration annotation')
    // Fields as the annotation has them are kubectl's own, whoever else manages them; others are not.
    expect((await apply('--server-side --dry-run=server', 5)).stdout).toBe(
      'deployment.apps/web serverside-applied (server dry run)\n',
    )
    await cluster.ok(`apply view-last-applied deployment web ${n}`)
    await cluster.ok(`apply set-last-applied -f ${written('last.yaml', deployment('web', 3))} ${n}`)
    expect((await apply('--server-side', 5)).stderr).toMatch(
      /^error: Apply failed with 1 conflict: conflict with "x": \.spec\.replicas\n/,
    )
  })

  it.concurrent('diff: what differs, and its exit codes', async () => {
    const n = await cluster.fresh('diffing')
    const same = written('same.yaml', deployment('web'))
    await cluster.ok(`apply -f ${same} ${n}`)
    expect(await cluster.kubectl(`diff -f ${same} ${n}`)).toEqual({ code: 0, stdout: '', stderr: '' })
    const other = await cluster.kubectl(`diff -f ${written('more.yaml', deployment('web', 3))} ${n}`)
    expect(other.code).toBe(1)
    expect(other.stdout).toMatch(/^- +replicas: 1$\n^\+ +replicas: 3$/m)
    expect(other.stdout).toMatch(/^- +generation: 1$\n^\+ +generation: 2$/m)
    const added = await cluster.kubectl(`diff --server-side -f ${written('new.yaml', configMap('new', '1'))} ${n}`)
    expect(added.code).toBe(1)
    expect(added.stdout).toMatch(/^\+kind: ConfigMap$/m)
    const wrong = await cluster.kubectl(`diff -f ${written('wrong.yaml', deployment('web', -1))} ${n}`)
    expect(wrong.code).toBeGreaterThan(0)
    expect(wrong.stderr).toContain('spec.replicas: Invalid value: -1')
    expect((await cluster.kubectl(`diff -f ${same} -n nowhere`)).code).toBeGreaterThan(0)
  })

  it.concurrent('kustomize, apply -k, diff -k, get -k, delete -k', async () => {
    await cluster.fresh('kustomized')
    const folder = join(cluster.folder, 'kustomized')
    mkdirSync(folder)
    writeFileSync(join(folder, 'web.yaml'), deployment('web'))
    writeFileSync(
      join(folder, 'kustomization.yaml'),
      'namespace: kustomized\nresources: [web.yaml]\nimages: [{name: nginx, newTag: "1.30"}]\nconfigMapGenerator: [{name: conf, literals: [a=b]}]\n',
    )
    await cluster.inOrder([
      [`kustomize ${folder}`, /\n {2}name: conf-4h2mbtbbt6\n[\s\S]+image: nginx:1\.30\n/],
      [`apply -k ${folder}`, 'configmap/conf-4h2mbtbbt6 created\ndeployment.apps/web created\n'],
      [`apply -k ${folder}`, 'configmap/conf-4h2mbtbbt6 unchanged\ndeployment.apps/web unchanged\n'],
      [`diff -k ${folder}`, ''],
      [`get -k ${folder} -o name`, 'configmap/conf-4h2mbtbbt6\ndeployment.apps/web\n'],
      [`delete -k ${folder}`, /^configmap "conf-4h2mbtbbt6" deleted.*\ndeployment\.apps "web" deleted.*\n$/],
    ])
  })

  it.concurrent('edit: saved, left alone, refused', async () => {
    const n = await cluster.fresh('editing')
    await cluster.ok(`apply -f - ${n}`, files(configMap('cm', '1'), deployment('web')))
    const saved = await cluster.kubectl(`edit configmap cm ${n}`, editor('saves.sh', `sed -i 's/a: "1"/a: "2"/' "$1"`))
    expect(saved.stdout).toBe('configmap/cm edited\n')
    const again = await cluster.kubectl(`edit configmap cm ${n}`, editor('saves.sh', `sed -i 's/a: "1"/a: "2"/' "$1"`))
    expect(again.stderr).toBe('Edit cancelled, no changes made.\n')
    const copy = join(cluster.folder, 'reopened')
    const script = `if grep -q 'was not valid' "$1"; then cp "$1" ${copy}; else sed -i 's/replicas: 1/replicas: -1/' "$1"; fi`
    const refused = await cluster.kubectl(`edit deployment web ${n}`, editor('refused.sh', script))
    expect(refused.code).toBe(1)
    expect(refused.stderr).toContain('error: Edit cancelled, no valid changes were saved.')
    expect(refused.stderr).toContain('error: deployments.apps "web" is invalid')
    expect(readFileSync(copy, 'utf8')).toContain(
      '# deployments.apps "web" was not valid:\n# * spec.replicas: Invalid value: -1: must be greater than or equal to 0\n',
    )
    const status = await cluster.kubectl(
      `edit deployment web ${n} --subresource=status`,
      editor('status.sh', `sed -i 's/^status:/status:\\n  collisionCount: 3/' "$1"`),
    )
    expect(status.stdout).toBe('deployment.apps/web edited\n')
    expect(await cluster.ok(`get deployment web ${n} -o jsonpath={.status.collisionCount}`)).toBe('3')
  })

  it.concurrent('delete: each cascade, force, selectors, finalizers', async () => {
    const n = await cluster.fresh('deleting')
    await cluster.ok(
      `apply -f - ${n}`,
      files(deployment('web'), deployment('more'), configMap('a', '1'), configMap('b', '1')),
    )
    await cluster.ok(`run held --image=nginx ${n} --overrides='{"metadata":{"finalizers":["example.com/held"]}}'`)
    await cluster.ok(`rollout status deployment/web ${n} --timeout=30s`)
    const names = (kinds: string): string => `get ${kinds} -o name ${n}`
    const gone = (name: string): RegExp => new RegExp(`^${name} deleted.*\\n$`)
    await cluster.inOrder([
      [`delete deployment web --cascade=orphan ${n}`, gone('deployment.apps "web"')],
      [
        `${names('replicasets,pods')} -l app=web`,
        /^replicaset\.apps\/web-\w+\npod\/web-\w+-\w+\n$|^pod\/web-\w+-\w+\nreplicaset\.apps\/web-\w+\n$/,
      ],
      [`delete replicasets -l app=web --cascade=foreground ${n}`, gone('replicaset.apps "web-\\w+"')],
      [`${names('replicasets,pods')} -l app=web`, ''],
      [`delete deployment more --dry-run=server ${n}`, /server dry run/],
      [`delete deployment more --cascade=background ${n}`, gone('deployment.apps "more"')],
      [`delete configmaps --field-selector=metadata.name=a ${n}`, gone('configmap "a"')],
      [`delete configmaps -l app=pruned ${n}`, gone('configmap "b"')],
      [`delete configmaps -l app=pruned ${n}`, 'No resources found\n'],
      [`delete configmap nope --ignore-not-found ${n}`, ''],
      [`delete pod held --wait=false --now ${n}`, gone('pod "held"')],
    ])
    expect(await cluster.fails(`delete pod held --force --grace-period=0 --timeout=1s ${n}`)).toContain(
      'timed out waiting for the condition on pods/held',
    )
    await cluster.inOrder([
      [`patch pod held ${n} --type=json -p '[{"op":"remove","path":"/metadata/finalizers"}]'`, 'pod/held patched\n'],
      [`wait --for=delete pod/held ${n} --timeout=20s`, /^$|condition met/],
      [`run short --image=nginx ${n}`, 'pod/short created\n'],
      [`delete pod short --force --grace-period=0 ${n}`, /^pod "short" force deleted.*\n$/],
      [`delete serviceaccounts --all ${n}`, gone('serviceaccount "default"')],
      ['delete namespace deleting', 'namespace "deleting" deleted\n'],
    ])
    await cluster.refused([
      [`delete configmap nope ${n}`, 'Error from server (NotFound): configmaps "nope" not found\n'],
      ['get namespace deleting', 'Error from server (NotFound): namespaces "deleting" not found\n'],
    ])
    await eventually(
      () => cluster.kubectl('get pods -A -l app=more -o name'),
      ({ stdout }) => stdout === '',
    )
  })
})
