// Whom a more important pod makes leave, where several would do.
import { describe, expect, it } from 'vitest'
import { simulatedWorld } from '#world'
import { node, pod, sceneOf } from '../../../test/support/scheduling-scene.ts'
import { podFacts } from './pod-facts.ts'
import { type Budget, decidePreemption } from './preemption.ts'
import { refuse } from './refusal.ts'
import { compileSelector } from './selector.ts'

const { random } = simulatedWorld(1)
const nodes = ['a', 'b'].map((name) => node(name))
const full = { cpu: '4' }
const budget: Budget = {
  namespace: 'demo',
  selector: compileSelector({ matchExpressions: [{ key: 'app', operator: 'DoesNotExist' }] }),
  allowed: 0,
  granted: new Set(),
}

function nodeFor(labels: Record<string, string>): string | undefined {
  const pods = [
    pod('guarded', { requests: full, nodeName: 'a', labels }),
    // The more important one: nobody would choose it, unless the other is guarded.
    pod('other', { requests: full, nodeName: 'b', priority: 5, labels: { app: 'x' } }),
  ]
  const refused = { plugin: 'NodeResourcesFit', refusal: refuse('Insufficient cpu') }
  const outcome = decidePreemption(podFacts(pod('p', { requests: full, priority: 10 })), {
    cluster: sceneOf({ nodes, pods }),
    random,
    refusals: new Map(nodes.map(({ metadata }) => [metadata.name ?? '', refused])),
    budgets: () => [budget],
  })
  return outcome.node?.name
}

describe('a budget', () => {
  it.each([
    ['guards the pods that it selects', { tier: 'web' }, 'b'],
    ['never means a pod without labels', {}, 'a'],
  ] as const)('%s', (_name, labels, expected) => {
    expect(nodeFor(labels)).toBe(expected)
  })
})
