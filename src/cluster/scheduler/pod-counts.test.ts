import { describe, expect, it } from 'vitest'
import type { Pod } from '#kinds'
import { PodCountIndex } from './pod-counts.ts'
import { podFacts } from './pod-facts.ts'
import { compileSelector } from './selector.ts'

const pod = (labels: Record<string, string>, deletionTimestamp?: string, namespace = 'demo') =>
  podFacts({
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name: 'x', namespace, labels, ...(deletionTimestamp === undefined ? {} : { deletionTimestamp }) },
    spec: { containers: [] },
  } as Pod)

const web = { namespace: 'demo', selector: compileSelector({ matchLabels: { app: 'web' } }), terminating: false }

describe('counts of pods', () => {
  it('are the same whether asked for before or after the pods came', () => {
    const index = new PodCountIndex()
    const early = index.of(web)
    index.add(pod({ app: 'web', hash: '1' }), 'a')
    index.add(pod({ hash: '2', app: 'web' }), 'a')
    index.add(pod({ app: 'web', hash: '2' }), 'b')
    index.add(pod({ app: 'api' }), 'b')
    index.add(pod({ app: 'web' }, undefined, 'other'), 'b')
    const late = index.of({ ...web, selector: compileSelector({ matchLabels: { app: 'web', hash: '2' } }) })
    expect([early.total, early.on('a'), early.on('b')]).toEqual([3, 2, 1])
    expect([late.on('a'), late.on('b'), late.on('c')]).toEqual([1, 1, 0])
  })

  it('leave out pods that are being deleted unless they are asked for', () => {
    const index = new PodCountIndex()
    const leaving = pod({ app: 'web' }, '2026-01-01T00:00:00Z')
    index.add(leaving, 'a')
    expect(index.of(web).total).toBe(0)
    expect(index.of({ ...web, terminating: true }).on('a')).toBe(1)
    index.remove(leaving, 'a')
    expect(index.of({ ...web, terminating: true }).total).toBe(0)
  })

  it('go on after all pods with some labels have gone', () => {
    const index = new PodCountIndex()
    const one = pod({ app: 'web' })
    index.add(one, 'a')
    index.remove(one, 'a')
    const count = index.of(web)
    index.add(one, 'b')
    expect([count.total, count.on('a'), count.on('b')]).toEqual([1, 0, 1])
  })
})
