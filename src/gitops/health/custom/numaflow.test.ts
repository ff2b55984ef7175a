// Numaflow's parts, and Numaplane's rollouts of them.

import { expect, test } from 'vitest'
import { told } from '../../../../test/support/custom-health.ts'

const seen = (rest: object) => ({ status: { observedGeneration: 2, ...rest } })
const failing = { type: 'PodsHealthy', status: 'False', reason: 'Crash', message: 'a pod crashes' }
const child = (status: string, reason: string) => ({ type: 'ChildResourcesHealthy', status, reason, message: 'child' })
const upgrade = { type: 'ProgressiveUpgradeSucceeded', status: 'False', reason: 'Failed', message: 'm' }
const pipeline = 'numaplane.numaproj.io/PipelineRollout'

test.each([
  ['numaflow.numaproj.io/Pipeline', {}, 'Progressing: Waiting for Pipeline status'],
  ['numaflow.numaproj.io/Pipeline', seen({ observedGeneration: 1 }), 'Progressing: Waiting for Pipeline status'],
  ['numaflow.numaproj.io/Pipeline', seen({ phase: 'Failed', message: 'no buffer' }), 'Degraded: no buffer'],
  ['numaflow.numaproj.io/Pipeline', seen({ phase: 'Pausing' }), 'Healthy: Pipeline is paused'],
  ['numaflow.numaproj.io/Pipeline', seen({ conditions: [failing] }), 'Degraded: Subresources are unhealthy'],
  ['numaflow.numaproj.io/Vertex', seen({ conditions: [failing] }), 'Degraded: a pod crashes'],
  ['numaflow.numaproj.io/Vertex', seen({ phase: 'Running' }), 'Healthy: Vertex is healthy'],
  [pipeline, {}, 'Progressing: Not yet reconciled'],
  [pipeline, seen({ phase: 'Pending' }), 'Progressing: Update in progress'],
  [pipeline, seen({ upgradeInProgress: 'Progressive', conditions: [upgrade] }), 'Degraded: Progressive upgrade failed'],
  [pipeline, seen({ conditions: [child('False', 'Progressing')] }), 'Progressing: Child Progressing'],
  [pipeline, seen({ conditions: [child('False', 'PipelineFailed')] }), 'Degraded: child'],
  [pipeline, seen({ conditions: [child('True', 'Successful')] }), 'Healthy: Healthy'],
  [
    pipeline,
    seen({ conditions: [child('True', 'S'), { type: 'PipelinePausingOrPaused', status: 'True', message: 'on hold' }] }),
    'Healthy: on hold',
  ],
  [pipeline, seen({}), 'Unknown: Unknown Pipeline status'],
  ['numaplane.numaproj.io/NumaflowControllerRollout', seen({ conditions: [child('False', 'Any')] }), 'Degraded: child'],
])('%s %j', (name, rest, expected) => {
  expect(told(name, rest)).toBe(expected)
})

test('a part whose progressive upgrade failed says so', () => {
  const labels = { 'numaplane.numaproj.io/progressive-result-state': 'failed' }
  const metadata = { name: 'x', generation: 2, labels }
  expect(told('numaflow.numaproj.io/MonoVertex', { metadata, ...seen({ phase: 'Running' }) })).toBe(
    'Degraded: Failed progressive upgrade',
  )
})
