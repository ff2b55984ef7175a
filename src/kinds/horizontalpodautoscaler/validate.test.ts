import { expect, it } from 'vitest'
import type { AutoscalingV2HorizontalPodAutoscaler as Autoscaler } from '../generated/types.ts'
import { validateAutoscaler } from './validate.ts'

const scaling = (kind: string, apiVersion?: string, described?: string): Autoscaler =>
  ({
    metadata: { name: 'a' },
    spec: {
      maxReplicas: 1,
      scaleTargetRef: { kind, name: 'a', apiVersion },
      metrics: [
        {
          type: 'Object',
          object: {
            describedObject: { kind: 'Ingress', name: 'a', apiVersion: described },
            metric: { name: 'm' },
            target: { type: 'Value', value: '1' },
          },
        },
      ],
    },
  }) as unknown as Autoscaler

const faults = (autoscaler: Autoscaler, old?: Autoscaler): readonly string[] =>
  validateAutoscaler(autoscaler, old).map(({ field, message }) => `${field}: ${message}`)

it.each<[string, Autoscaler, readonly string[]]>([
  ['a workload of a group', scaling('Deployment', 'apps/v1'), []],
  ['the one workload of the core group', scaling('ReplicationController', 'v1'), []],
  [
    'no group',
    scaling('Deployment'),
    ['spec.scaleTargetRef.apiVersion: Invalid value: "": apiVersion must specify API group'],
  ],
  [
    'versions that nobody can read',
    scaling('Deployment', 'a/b/c', 'd/e/f'),
    [
      'spec.scaleTargetRef.apiVersion: Invalid value: "a/b/c": unexpected GroupVersion string: a/b/c',
      'spec.metrics[0].object.describedObject.apiVersion: Invalid value: "d/e/f": unexpected GroupVersion string: d/e/f',
    ],
  ],
])('takes or refuses %s', (_, autoscaler, expected) => {
  expect(faults(autoscaler)).toEqual(expected)
})

it('lets an update keep what is stored', () => {
  expect(faults(scaling('Deployment', undefined, 'd/e/f'), scaling('Deployment', '', 'd/e/f'))).toEqual([])
})
