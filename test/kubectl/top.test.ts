// `kubectl top` against a daemon: the metrics API as its clients see it.

import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { eventually, hasKubectl } from '../support/kubectl.ts'
import { type KubectlCluster, startKubectlCluster } from '../support/kubectl-cluster.ts'

describe.skipIf(!hasKubectl)('kubectl top', () => {
  let cluster: KubectlCluster
  let kubectl: KubectlCluster['kubectl']

  beforeAll(async () => {
    cluster = await startKubectlCluster()
    ;({ kubectl } = cluster)
  })
  afterAll(async () => {
    await cluster?.stop()
  })

  it('shows what nodes and pods take', async () => {
    await kubectl('run web --image=nginx')
    const nodes = await eventually(
      () => kubectl('top nodes'),
      ({ stdout }) => (stdout.match(/node-\d/g) ?? []).length === 3,
    )
    expect(nodes.stdout).toMatch(/^NAME +CPU\(cores\) +CPU\(%\) +MEMORY\(bytes\) +MEMORY\(%\)/)
    const pods = await eventually(
      () => kubectl('top pods'),
      ({ stdout }) => stdout.includes('web'),
    )
    expect(pods.stdout).toMatch(/web +\d+m +\d+Mi/)
    const printed = async (args: string): Promise<string> => (await kubectl(args)).stdout
    expect(await printed('top node node-0 --no-headers')).toMatch(/^node-0 +\d+m +\d+% +\d+Mi +\d+% +\n$/)
    expect(await printed('top pods --containers -l run=web')).toMatch(
      /^POD +NAME +CPU\(cores\) +MEMORY\(bytes\) +\nweb +web +\d+m +\d+Mi +\n$/,
    )
    expect(await printed('top pods -A --sort-by=memory --sum')).toMatch(
      /\ndefault +web +\d+m +\d+Mi +\n +_+ +_+ +\n +\d+m +\d+Mi +\n$/,
    )
    expect((await kubectl('top pod nobody')).stderr).toMatch(
      /^Error from server \(NotFound\): .*"(default\/)?nobody" not found\n$/,
    )
    expect((await kubectl('get apiservices v1beta1.metrics.k8s.io')).stdout).toMatch(/Local +True/)
    expect((await kubectl('get pods.metrics.k8s.io')).stdout).toMatch(/NAME +CPU +MEMORY +WINDOW/)
  }, 90_000)
})
