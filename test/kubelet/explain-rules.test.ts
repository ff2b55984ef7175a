// `explain` of a pod names the rule behind everything that its simulated containers do; over HTTP as in process.

import { afterEach, describe, expect, it } from 'vitest'
import { explain } from '#insight'
import { Deployment, Node, Pod } from '#kinds'
import { type NodeTest, namespace, nodeTest } from './cluster.ts'

let test: NodeTest

afterEach(() => test.stop())

const evidence = async (): Promise<readonly string[]> =>
  (await explain(test.client, Pod, { namespace, name: 'web' })).flatMap((finding) => finding.evidence)

describe('explain of a pod', () => {
  it('names the profile that decided a field, and what decided the rest', async () => {
    test = await nodeTest()
    await test.profile('slow', {
      match: { images: ['nginx'] },
      container: { probes: { readiness: [{ result: 'failure' }] } },
    })
    await test.pod('web')
    await test.world.advance(5000)
    const lines = await evidence()
    expect(lines.at(-1)).toMatch(
      /^what container app does is simulated: probes\.readiness by WorkloadProfile slow; .*by built-in profile nginx/,
    )
  })

  it('says that a container does what its command says', async () => {
    test = await nodeTest()
    await test.pod('web', { containers: [{ name: 'app', image: 'ghcr.io/acme/app', command: ['sleep', '60'] }] })
    await test.world.advance(5000)
    expect((await evidence()).at(-1)).toBe('what container app does is simulated: runs by its command')
  })

  it('names rules of the pods of a Deployment', async () => {
    test = await nodeTest()
    await test.profile('broken', {
      match: { images: ['nginx'] },
      container: { runs: [{ exitCode: 1, afterSeconds: 1 }] },
    })
    const labels = { app: 'web' }
    await test.client.create(Deployment, {
      apiVersion: 'apps/v1',
      kind: 'Deployment',
      metadata: { name: 'web', namespace },
      spec: {
        selector: { matchLabels: labels },
        template: { metadata: { labels }, spec: { containers: [{ name: 'app', image: 'nginx' }] } },
      },
    })
    await test.world.advance(60_000)
    const findings = await explain(test.client, Deployment, { namespace, name: 'web' })
    expect(findings.flatMap((finding) => finding.evidence).join('\n')).toContain('runs by WorkloadProfile broken')
  })

  it('names the NodeProfiles that have a say in it, and those alone', async () => {
    test = await nodeTest({ nodes: [{ name: 'node-0', capacity: { cpu: '8', memory: '8Gi', pods: '110' } }] })
    await test.nodeProfile('rack', {
      priority: 1,
      resources: { 'example.com/gpu': 2, 'example.com/fpga': 1 },
      files: [{ path: '/mnt/models/' }, { path: '/mnt/other' }],
      imagePulls: { maxParallel: 1 },
    })
    await test.nodeProfile('small', {
      usage: { memory: [{ value: '2Gi' }] },
      resources: { 'example.com/gpu': 1 },
      evictionHard: { 'memory.available': '3Gi' },
      evictionSoft: { 'memory.available': '4Gi' },
      evictionSoftGracePeriod: { 'memory.available': '1h' },
    })
    await test.until(async () => (await test.node()).status?.allocatable?.['example.com/gpu'] === '2')
    await test.pod('web', {
      volumes: [{ name: 'models', hostPath: { path: '/mnt/models' } }],
      containers: [
        { name: 'app', image: 'nginx', resources: { limits: { 'example.com/gpu': '1' }, requests: { memory: '1Mi' } } },
      ],
    })
    await test.until(() => test.isReady('web'))
    expect((await evidence()).at(-1)).toBe(
      'what node node-0 is like is simulated: files./mnt/models, resources.example.com/gpu, imagePulls.maxParallel by NodeProfile rack',
    )
    await test.profile('greedy', { match: { pods: ['web'] }, container: { usage: { memory: [{ value: '4Gi' }] } } })
    await test.until(async () => (await test.events('web')).join().includes('Evicted: '), { limitMs: 60_000 })
    await test.until(async () => (await test.get('web'))?.status?.phase !== 'Running')
    expect((await evidence()).at(-1)).toBe(
      'what node node-0 is like is simulated: files./mnt/models, resources.example.com/gpu, imagePulls.maxParallel by NodeProfile rack; ' +
        'usage.memory, evictionHard, evictionSoft by NodeProfile small',
    )
  })

  it('names the NodeProfiles of a node, with what is wrong with it', async () => {
    test = await nodeTest()
    const evidenceOfNode = async () =>
      (await explain(test.client, Node, { name: 'node-0' })).flatMap((finding) => finding.evidence)
    expect(await evidenceOfNode()).toEqual([])
    await test.nodeProfile('tight', {
      evictionSoft: { 'pid.available': '99.9%' },
      evictionSoftGracePeriod: { 'pid.available': '1h' },
    })
    await test.until(async () => (await evidenceOfNode()).length > 2)
    expect(await evidenceOfNode()).toEqual([
      'condition PIDPressure=True (KubeletHasInsufficientPID: kubelet has insufficient PID available)',
      'spec.taints: node.kubernetes.io/pid-pressure:NoSchedule',
      'what node node-0 is like is simulated: evictionSoft by NodeProfile tight',
    ])
  })

  it('asks a node only for its own pods', async () => {
    test = await nodeTest()
    await test.pod('web')
    await test.world.advance(5000)
    const answer = test.client.request({
      verb: 'get',
      resource: { group: '', version: 'v1', resource: 'nodes' },
      name: 'node-0',
      subresource: 'proxy',
      query: { simulation: `${namespace}/other` },
    })
    await expect(answer).rejects.toThrow('node node-0 does not run pod demo/other')
  })
})
