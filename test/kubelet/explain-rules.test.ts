// `explain` of a pod names the rule behind everything that its simulated containers do; over HTTP as in process.

import { afterEach, describe, expect, it } from 'vitest'
import { explain } from '#insight'
import { Deployment, Pod } from '#kinds'
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
