// The kinds that run pods, as people write them.

import fc from 'fast-check'
import { type Fields, intOrPercent, podTemplate, some, spec, withSome, word } from './pods.ts'

const selected = { app: 'web', 'example.com/part': 'a' }
export const selector = fc.constant({ matchLabels: selected })
const replicas = fc.integer({ min: 0, max: 3 })

export const deployment = spec(
  withSome(
    { selector, template: podTemplate(selected) },
    {
      replicas,
      strategy: fc.oneof(
        fc.constant<Fields>({ type: 'Recreate' }),
        fc.record({ rollingUpdate: some({ maxSurge: intOrPercent, maxUnavailable: intOrPercent }) }),
      ),
      revisionHistoryLimit: fc.nat(5),
      minReadySeconds: fc.nat(2),
      progressDeadlineSeconds: fc.constantFrom(300, 600),
      paused: fc.boolean(),
    },
  ),
)
export const claim = withSome(
  {
    accessModes: fc.constantFrom(['ReadWriteOnce'], ['ReadWriteOnce', 'ReadOnlyMany']),
    resources: fc.record({
      requests: fc.record({ storage: fc.constantFrom('1Gi', '1024Mi', '0.5Gi', 1_000_000_000) }),
    }),
  },
  { volumeMode: fc.constantFrom('Filesystem', 'Block') },
)
export const statefulSet = spec(
  withSome(
    { selector, template: podTemplate(selected), serviceName: word },
    {
      replicas,
      podManagementPolicy: fc.constantFrom('OrderedReady', 'Parallel'),
      updateStrategy: fc.constantFrom<Fields>({ type: 'OnDelete' }, { rollingUpdate: { partition: 1 } }),
      volumeClaimTemplates: claim.map((each) => [{ metadata: { name: 'data' }, spec: each }]),
      persistentVolumeClaimRetentionPolicy: fc.constant({ whenDeleted: 'Delete' }),
    },
  ),
)
export const daemonSet = spec(
  withSome(
    { selector, template: podTemplate(selected) },
    {
      updateStrategy: fc.constantFrom<Fields>({ type: 'OnDelete' }, { rollingUpdate: { maxUnavailable: '50%' } }),
      minReadySeconds: fc.nat(2),
    },
  ),
)
export const replicaSet = spec(withSome({ selector, template: podTemplate(selected) }, { replicas }))
export const jobFields = withSome(
  { template: podTemplate({ part: 'job' }, fc.constantFrom('Never', 'OnFailure')) },
  {
    backoffLimit: fc.nat(3),
    completions: fc.constantFrom(1, 2),
    parallelism: fc.constantFrom(1, 2),
    activeDeadlineSeconds: fc.constant(600),
    suspend: fc.boolean(),
    completionMode: fc.constantFrom('NonIndexed'),
  },
)
export const cronJob = spec(
  withSome(
    { schedule: fc.constantFrom('0 4 * * *', '@weekly'), jobTemplate: fc.record({ spec: jobFields }) },
    {
      concurrencyPolicy: fc.constantFrom('Allow', 'Forbid', 'Replace'),
      suspend: fc.boolean(),
      timeZone: fc.constant('Europe/Berlin'),
      startingDeadlineSeconds: fc.constant(60),
      successfulJobsHistoryLimit: fc.nat(3),
    },
  ),
)
