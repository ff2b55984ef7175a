// What people do with helm, done with the real one against a daemon. A chart of a few files has it all: hooks, definitions
// of custom resources, a test, and templates that look at the cluster.

import { mkdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Helm, hasHelm, helmFor } from '../support/helm.ts'
import { hasKubectl } from '../support/kubectl.ts'
import { type KubectlCluster, startKubectlCluster } from '../support/kubectl-cluster.ts'

/** A hook that says when it ran: the uid of its pod is in the log of Events. */
const hook = (events: string, weight: number, policy: string): string => {
  const name = `{{ .Release.Name }}-${events.split(',')[0]}-${weight}`
  return `
apiVersion: v1
kind: Pod
metadata:
  name: "${name}"
  labels: {hook: ${events.split(',')[0]}}
  annotations: {helm.sh/hook: "${events}", helm.sh/hook-weight: "${weight}", helm.sh/hook-delete-policy: "${policy}"}
spec:
  restartPolicy: Never
  containers: [{name: c, image: busybox, command: [sh, -c, "echo ${events}; exit {{ .Values.hookExit }}"]}]
`
}

const chart: Readonly<Record<string, string>> = {
  'Chart.yaml': 'apiVersion: v2\nname: shop\nversion: 0.1.0\nappVersion: "1"\n',
  'values.yaml': 'image: nginx:1.29\nreplicas: 1\nhookExit: 0\ntestExit: 0\n',
  'crds/gadgets.yaml': `
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: gadgets.example.com}
spec:
  group: example.com
  scope: Namespaced
  names: {plural: gadgets, kind: Gadget}
  versions:
  - name: v1
    served: true
    storage: true
    schema: {openAPIV3Schema: {type: object, properties: {spec: {type: object, properties: {size: {type: integer}}}}}}
`,
  'templates/gadget.yaml':
    'apiVersion: example.com/v1\nkind: Gadget\nmetadata: {name: {{ .Release.Name }}}\nspec: {size: 3}\n',
  'templates/seen.yaml': `
apiVersion: v1
kind: ConfigMap
metadata: {name: {{ .Release.Name }}-seen}
data:
  namespace: {{ (lookup "v1" "Namespace" "" "default").metadata.name | quote }}
  nodes: {{ len (lookup "v1" "Node" "" "").items | quote }}
  absent: {{ empty (lookup "v1" "Secret" "default" "absent") | quote }}
  version: {{ .Capabilities.KubeVersion.Minor | quote }}
  deployments: {{ .Capabilities.APIVersions.Has "apps/v1/Deployment" | quote }}
`,
  'templates/web.yaml': `
apiVersion: apps/v1
kind: Deployment
metadata: {name: {{ .Release.Name }}-web}
spec:
  replicas: {{ .Values.replicas }}
  selector: {matchLabels: {app: {{ .Release.Name }}}}
  template:
    metadata: {labels: {app: {{ .Release.Name }}}}
    spec: {terminationGracePeriodSeconds: 1, containers: [{name: c, image: {{ .Values.image | quote }}}]}
---
apiVersion: v1
kind: Service
metadata: {name: {{ .Release.Name }}}
spec: {selector: {app: {{ .Release.Name }}}, ports: [{port: 80}]}
`,
  'templates/first.yaml': hook('pre-install,pre-upgrade', -5, 'before-hook-creation'),
  'templates/second.yaml': hook('pre-install,pre-upgrade', 5, 'before-hook-creation,hook-succeeded'),
  'templates/after.yaml': hook('post-install,post-upgrade,post-rollback', 0, 'hook-succeeded,hook-failed'),
  'templates/leaving.yaml': hook('pre-delete', 0, 'hook-succeeded'),
  'templates/left.yaml': hook('post-delete', 0, 'before-hook-creation'),
  'templates/test.yaml': `
apiVersion: v1
kind: Pod
metadata: {name: "{{ .Release.Name }}-test", annotations: {helm.sh/hook: test}}
spec:
  restartPolicy: Never
  containers: [{name: c, image: busybox, command: [sh, -c, "echo tested; exit {{ .Values.testExit }}"]}]
`,
  'templates/NOTES.txt': 'Hello {{ .Release.Name }}, revision {{ .Release.Revision }}\n',
}

describe.skipIf(!hasKubectl || !hasHelm)('helm 4', () => {
  let cluster: KubectlCluster
  let helm: Helm
  let path: string
  beforeAll(async () => {
    cluster = await startKubectlCluster()
    helm = helmFor(cluster.kubeconfig, cluster.folder)
    path = join(cluster.folder, 'shop')
    for (const [name, text] of Object.entries(chart)) {
      mkdirSync(dirname(join(path, name)), { recursive: true })
      writeFileSync(join(path, name), text)
    }
  })
  afterAll(() => cluster?.stop())

  const ok = async (args: string): Promise<string> => {
    const { code, stdout, stderr } = await helm(args)
    expect(`${code} ${stderr}`, `helm ${args}`).toMatch(/^0 /)
    return stdout
  }
  const fails = async (args: string): Promise<string> => {
    const { code, stderr } = await helm(args)
    expect(code, `helm ${args}`).toBe(1)
    return stderr
  }
  const statuses = async (release: string, n: string): Promise<readonly string[]> => {
    const history = JSON.parse(await ok(`history ${release} ${n} -o json`)) as readonly {
      readonly revision: number
      readonly status: string
      readonly description: string
    }[]
    return history.map(({ revision, status, description }) => `${revision} ${status}: ${description}`)
  }

  it('a release from its installation to its end', async () => {
    const n = '-n life'
    const install = await ok(`install r ${path} ${n} --create-namespace --wait --timeout 30s`)
    expect(install).toMatch(
      /^NAME: r\n[\s\S]*NAMESPACE: life\nSTATUS: deployed\nREVISION: 1\n[\s\S]*NOTES:\nHello r, revision 1\n/,
    )
    await Promise.all([
      cluster.atOnce([
        [
          `get deployment,service,gadget.example.com,configmap -l app.kubernetes.io/managed-by=Helm -o name ${n}`,
          'deployment.apps/r-web\nservice/r\ngadget.example.com/r\nconfigmap/r-seen\n',
        ],
        [`get pods -l hook -o name ${n}`, 'pod/r-pre-install--5\n'],
        [
          `get configmap r-seen -o jsonpath={.data} ${n}`,
          '{"absent":"true","deployments":"true","namespace":"default","nodes":"3","version":"34"}',
        ],
        [`get secret sh.helm.release.v1.r.v1 ${n}`, / helm\.sh\/release\.v1 +1 +\d+s\n$/],
      ]),
      (async () => {
        const [list, status, values, all, notes, hooks, manifest, metadata] = await Promise.all([
          ok(`list ${n} -o json`),
          ok(`status r ${n}`),
          ok(`get values r ${n}`),
          ok(`get values r --all ${n}`),
          ok(`get notes r ${n}`),
          ok(`get hooks r ${n}`),
          ok(`get manifest r ${n}`),
          ok(`get metadata r ${n}`),
        ])
        expect(JSON.parse(list)).toEqual([
          expect.objectContaining({
            name: 'r',
            namespace: 'life',
            revision: '1',
            status: 'deployed',
            chart: 'shop-0.1.0',
            app_version: '1',
          }),
        ])
        expect(status).toMatch(/==> v1\/Deployment\nNAME +READY +UP-TO-DATE +AVAILABLE +AGE\nr-web +1\/1 +1 +1 +\d+s\n/)
        expect(status).toMatch(
          /==> v1\/Pod\(related\)\nNAME +READY +STATUS +RESTARTS +AGE\nr-web-\w+-\w+ +1\/1 +Running +0 +\d+s\n/,
        )
        expect(values).toMatch(/^USER-SUPPLIED VALUES:\n(null|\{\})\n$/)
        expect(all).toBe('COMPUTED VALUES:\nhookExit: 0\nimage: nginx:1.29\nreplicas: 1\ntestExit: 0\n')
        expect(notes).toContain('Hello r, revision 1')
        expect(hooks.match(/^# Source: /gm)).toHaveLength(6)
        expect(manifest.match(/^# Source: /gm)).toHaveLength(4)
        expect(metadata).toMatch(/^CHART: shop\nVERSION: 0\.1\.0\nAPP_VERSION: 1\n/m)
      })(),
    ])
    expect(await ok(`get all r ${n}`)).toMatch(/COMPUTED VALUES:[\s\S]*HOOKS:[\s\S]*MANIFEST:[\s\S]*NOTES:/)
    expect(await ok(`test r ${n} --logs`)).toMatch(
      /TEST SUITE: +r-test\n[\s\S]*Phase: +Succeeded\n\nPOD LOGS: r-test\ntested\n/,
    )

    const upgrade = await ok(`upgrade r ${path} ${n} --set image=nginx:1.30,testExit=1 --wait --timeout 30s`)
    expect(upgrade).toMatch(
      /^Release "r" has been upgraded\. Happy Helming!\n[\s\S]*REVISION: 2\n[\s\S]*Hello r, revision 2\n/,
    )
    const image = `get deployment r-web -o jsonpath={.spec.template.spec.containers[0].image} ${n}`
    expect(await cluster.ok(image)).toBe('nginx:1.30')
    expect(await fails(`test r ${n}`)).toContain('pod r-test failed')
    expect(await ok(`get values r ${n}`)).toBe('USER-SUPPLIED VALUES:\nimage: nginx:1.30\ntestExit: 1\n')
    expect(await ok(`rollback r 1 ${n} --wait --timeout 30s`)).toBe('Rollback was a success! Happy Helming!\n')
    expect(await cluster.ok(image)).toBe('nginx:1.29')
    expect(await statuses('r', n)).toEqual([
      '1 superseded: Install complete',
      '2 superseded: Upgrade complete',
      '3 deployed: Rollback to 1',
    ])

    expect(await ok(`uninstall r ${n} --wait --timeout 30s`)).toBe('release "r" uninstalled\n')
    expect(JSON.parse(await ok(`list ${n} -o json`))).toEqual([])
    const left = (await cluster.ok(`get pods,deployments,services,gadget.example.com,secrets -o name ${n}`)).split('\n')
    expect(left.filter((name) => name !== '').sort()).toEqual([
      'pod/r-post-delete-0',
      'pod/r-pre-install--5',
      'pod/r-test',
    ])
    expect(await cluster.ok('get crd gadgets.example.com -o name')).toMatch(/gadgets\.example\.com\n$/)
    expect(await fails(`uninstall r ${n}`)).toContain('release: not found')
    expect(await fails(`status r ${n}`)).toBe('Error: release: not found\n')
  }, 120_000)

  it('runs hooks by weight, before and after what they are about', async () => {
    const n = '-n hooked'
    await ok(`install r ${path} ${n} --create-namespace --wait --timeout 30s`)
    const events = JSON.parse(await cluster.ok(`get events -o json ${n}`)) as {
      items: readonly {
        readonly reason: string
        readonly involvedObject: { readonly name: string; readonly resourceVersion: string }
      }[]
    }
    const order = events.items
      .filter(({ reason }) => reason === 'Scheduled')
      .sort((a, b) => Number(a.involvedObject.resourceVersion) - Number(b.involvedObject.resourceVersion))
      .map(({ involvedObject: { name } }) => name.replace(/^r-web-.*/, 'r-web'))
    expect(order).toEqual(['r-pre-install--5', 'r-pre-install-5', 'r-web', 'r-post-install-0'])
    const failed = await fails(`upgrade r ${path} ${n} --set hookExit=1 --timeout 20s`)
    expect(failed).toMatch(/^Error: UPGRADE FAILED: pre-upgrade hooks failed: .*r-pre-install--5/m)
    expect(await statuses('r', n)).toEqual([
      '1 deployed: Install complete',
      expect.stringMatching(/^2 failed: .*pre-upgrade hooks failed/),
    ])
    await ok(`uninstall r ${n} --no-hooks`)
  }, 120_000)

  it('--dry-run=server asks the cluster and changes nothing', async () => {
    const n = await cluster.fresh('dry')
    await cluster.ok('apply -f -', chart['crds/gadgets.yaml'] ?? '')
    const manifest = await ok(`install r ${path} ${n} --dry-run=server --hide-notes`)
    expect(manifest).toContain('nodes: "3"')
    expect(manifest).toContain('STATUS: pending-install')
    expect(await cluster.ok(`get deployments,secrets,pods -o name ${n}`)).toBe('')
  }, 120_000)

  it('--rollback-on-failure takes back what does not become ready', async () => {
    const n = '-n failing'
    await cluster.fresh('failing')
    const first = await fails(
      `install bad ${path} ${n} --no-hooks --set image=nginx:missing --wait --timeout 2s --rollback-on-failure`,
    )
    expect(first).toMatch(
      /^Error: INSTALLATION FAILED: release bad failed, and has been uninstalled due to rollback-on-failure being set: resource Deployment\/failing\/bad-web not ready/m,
    )
    expect(await cluster.ok(`get deployments,secrets -o name ${n}`)).toBe('')
    await ok(`install r ${path} ${n} --no-hooks --wait --timeout 30s`)
    const second = await fails(
      `upgrade r ${path} ${n} --no-hooks --set image=nginx:missing --wait --timeout 2s --rollback-on-failure`,
    )
    expect(second).toMatch(
      /^Error: UPGRADE FAILED: release r failed, and has been rolled back due to rollback-on-failure being set: resource Deployment\/failing\/r-web not ready/m,
    )
    expect(await statuses('r', n)).toEqual([
      '1 superseded: Install complete',
      expect.stringMatching(/^2 failed: Upgrade "r" failed: resource Deployment\/failing\/r-web not ready/),
      '3 deployed: Rollback to 1',
    ])
    expect(await cluster.ok(`get deployment r-web -o jsonpath={.spec.template.spec.containers[0].image} ${n}`)).toBe(
      'nginx:1.29',
    )
  }, 120_000)

  it('says in words of Kubernetes what the cluster refuses', async () => {
    const n = await cluster.fresh('refused')
    expect(await fails(`install r ${path} ${n} --no-hooks --set replicas=-1`)).toContain(
      'spec.replicas: Invalid value: -1: must be greater than or equal to 0',
    )
    await cluster.ok(`create configmap o-seen ${n}`)
    expect(await fails(`install o ${path} ${n} --no-hooks`)).toContain(
      'ConfigMap "o-seen" in namespace "refused" exists and cannot be imported into the current release: invalid ownership metadata',
    )
  }, 120_000)
})
