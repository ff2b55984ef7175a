import { describe, expect, it } from 'vitest'
import type { MetricSeries, MetricSeriesSpec, Pod } from '#kinds'
import { parseLabelSelector } from '#objects'
import { externalValues, isAskedFor, podValues, valueAt } from './series.ts'

const created = Date.parse('2026-01-01T00:00:00Z')
const at = (seconds: number): number => created + seconds * 1000

const series = (spec: Partial<MetricSeriesSpec>): MetricSeries => ({
  apiVersion: 'lab.homeostat.dev/v1alpha1',
  kind: 'MetricSeries',
  metadata: { name: 's', creationTimestamp: '2026-01-01T00:00:00Z' },
  spec: { metric: 'm', values: [{ value: '10' }], ...spec },
})

const pod = (name: string, phase: 'Running' | 'Pending' = 'Running'): Pod => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name, namespace: 'default', labels: { app: 'web' } },
  spec: { containers: [] },
  status: { phase },
})

describe('a series', () => {
  const curve = series({
    values: [
      { fromSeconds: 10, value: '1' },
      { fromSeconds: 20, value: '3', ramp: true },
      { fromSeconds: 30, value: '500m' },
    ],
  })
  it.each([
    [0, undefined],
    [10, 1000],
    [15, 2000],
    [20, 3000],
    [29, 3000],
    [30, 500],
    [1000, 500],
  ])('after %i s is %s thousandths', (seconds, value) => {
    expect(valueAt(curve, at(seconds))).toBe(value)
  })

  it('is asked for by name, namespace and labels', () => {
    const one = series({ namespace: 'shop', labels: { queue: 'orders' } })
    const ask = (metric: string, namespace: string, selector: string) =>
      isAskedFor(one, { metric, namespace, selector: parseLabelSelector(selector) })
    expect([ask('m', 'shop', ''), ask('m', 'shop', 'queue=orders')]).toEqual([true, true])
    expect([ask('x', 'shop', ''), ask('m', 'other', ''), ask('m', 'shop', 'queue=bills')]).toEqual([
      false,
      false,
      false,
    ])
  })

  it('is had by each pod that runs, or shared by them', () => {
    const pods = [pod('a'), pod('b'), pod('c', 'Pending')]
    const values = (shared: boolean) =>
      podValues([series({ pods: { matchLabels: { app: 'web' } }, shared })], pods, at(1))
    expect(values(false)).toMatchObject([
      { describedObject: { kind: 'Pod', name: 'a' }, value: '10' },
      { describedObject: { name: 'b' }, value: '10' },
    ])
    expect(values(true)).toMatchObject([{ value: '5' }, { value: '5' }])
  })

  it('may come from outside', () => {
    expect(externalValues([series({ labels: { q: 'a' } })], at(1))).toEqual([
      { metricName: 'm', metricLabels: { q: 'a' }, timestamp: '2026-01-01T00:00:01Z', value: '10' },
    ])
  })
})
