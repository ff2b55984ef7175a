// Flux's kinds at work, done, failed and suspended.

import { expect, test } from 'vitest'
import { having, told } from '../../../../test/support/custom-health.ts'

const condition = (type: string, status: string, reason = `${type}${status}`) => ({ type, status, reason })
const repository = 'source.toolkit.fluxcd.io/GitRepository'
const policy = 'image.toolkit.fluxcd.io/ImagePolicy'

test.each([
  [repository, { spec: { suspend: true } }, 'Suspended: GitRepository is suspended'],
  [repository, {}, 'Progressing: Status unknown'],
  [
    repository,
    having(condition('Ready', 'Unknown', 'Fetching'), condition('Reconciling', 'True')),
    'Progressing: Fetching',
  ],
  [repository, having(condition('Ready', 'Unknown', 'Fetching')), 'Degraded: Fetching'],
  [repository, having(condition('Ready', 'True', 'Fetched')), 'Degraded: Fetched'],
  [
    repository,
    having(condition('Ready', 'True', 'Fetched'), condition('ArtifactInStorage', 'True')),
    'Healthy: Fetched',
  ],
  [
    repository,
    having(condition('Ready', 'False', 'NoAuth'), condition('ArtifactOutdated', 'True', 'NewRevision')),
    'Degraded: NoAuth NewRevision',
  ],
  [
    policy,
    having(condition('Ready', 'False', 'Waiting'), condition('Reconciling', 'True', 'NewGeneration')),
    'Progressing: Waiting',
  ],
  [
    policy,
    having(condition('Ready', 'False', 'Waiting'), condition('Reconciling', 'True', 'Other')),
    'Degraded: Waiting',
  ],
  ['kustomize.toolkit.fluxcd.io/Kustomization', having(condition('Ready', 'True', 'Applied')), 'Healthy: Applied'],
  [
    'helm.toolkit.fluxcd.io/HelmRelease',
    having(condition('Ready', 'True', 'Tested'), condition('Released', 'True'), condition('TestSuccess', 'True')),
    'Healthy: Tested',
  ],
])('%s %j', (name, rest, expected) => {
  expect(told(name, rest)).toBe(expected)
})

test('a Helm repository of type oci says nothing and is well', () => {
  const helm = 'source.toolkit.fluxcd.io/HelmRepository'
  expect(told(helm, { spec: { type: 'oci' } })).toMatch(/^Healthy: /)
  expect(told(helm, { spec: { type: 'oci', suspend: true } })).toBe('Suspended: HelmRepository is suspended')
})
