// What is said of the types in ValidatingAdmissionPolicies, over a real API server.
import { expect, it } from 'vitest'
import { CustomResourceDefinition, ValidatingAdmissionPolicy } from '#kinds'
import { definitionOf, objectOf, Widget } from '../support/custom-kinds.ts'
import { merge, startCluster } from './cluster.ts'

const on = (group: string, versions: readonly string[], ...resources: string[]) =>
  ({ apiGroups: [group], apiVersions: versions, operations: ['CREATE'], resources }) as const

const policy = (name: string, spec: object): ValidatingAdmissionPolicy =>
  ({
    apiVersion: 'admissionregistration.k8s.io/v1',
    kind: 'ValidatingAdmissionPolicy',
    metadata: { name },
    spec: { validations: [{ expression: 'true' }], ...spec },
  }) as ValidatingAdmissionPolicy

async function statusOf(...policies: ValidatingAdmissionPolicy[]) {
  const cluster = await startCluster({ nodes: 0 })
  const openAPIV3Schema = objectOf({ spec: objectOf({ size: { type: 'integer' } }) })
  await cluster.client.create(
    CustomResourceDefinition,
    definitionOf(Widget, { versions: [{ schema: { openAPIV3Schema } }] }),
  )
  await cluster.world.advance(1000)
  const find = (name: string) => cluster.client.get(ValidatingAdmissionPolicy, { name })
  const statuses: ValidatingAdmissionPolicy['status'][] = []
  for (const one of policies) {
    const { metadata } = await cluster.client.create(ValidatingAdmissionPolicy, one)
    await cluster.until(async () => (await find(metadata.name ?? '')).status?.observedGeneration === 1)
    statuses.push((await find(metadata.name ?? '')).status)
  }
  return { cluster, find, statuses }
}

it('every expression of a policy is held against every kind that it is about', async () => {
  const { cluster, find, statuses } = await statusOf(
    policy('typos', {
      matchConstraints: { resourceRules: [on('apps', ['v1'], 'replicasets', 'deployments')] },
      validations: [
        { expression: 'object.replicas > 1', messageExpression: "'is ' + object.spec.replicas" },
        { expression: 'object.spec.replicas > 1' },
      ],
    }),
  )
  const undefinedField = (kind: string): string =>
    `apps/v1, Kind=${kind}: ERROR: <input>:1:7: undefined field 'replicas'\n | object.replicas > 1\n | ......^\n`
  const noSum = (kind: string): string =>
    `apps/v1, Kind=${kind}: ERROR: <input>:1:7: found no matching overload for '_+_' applied to '(string, int)'\n | 'is ' + object.spec.replicas\n | ......^\n`
  const both = (text: (kind: string) => string): string => `${text('Deployment')}\n${text('ReplicaSet')}`
  expect(statuses[0]).toEqual({
    observedGeneration: 1,
    typeChecking: {
      expressionWarnings: [
        { fieldRef: 'spec.validations[0].expression', warning: both(undefinedField) },
        { fieldRef: 'spec.validations[0].messageExpression', warning: both(noSum) },
      ],
    },
  })
  const mended = { spec: { validations: [{ expression: 'object.spec.replicas > 1' }] } }
  await cluster.client.patch(ValidatingAdmissionPolicy, { name: 'typos' }, mended, merge)
  await cluster.until(async () => (await find('typos')).status?.observedGeneration === 2)
  expect((await find('typos')).status?.typeChecking?.expressionWarnings).toBeUndefined()
  await cluster.stop()
})

it('custom kinds, parameters and variables have types, too; what is asked for with * has none', async () => {
  const onWidgets = { matchConstraints: { resourceRules: [on('example.com', ['v1'], 'widgets')] } }
  const { cluster, statuses } = await statusOf(
    policy('custom', { ...onWidgets, validations: [{ expression: "object.spec.size == 'large'" }] }),
    policy('with-params', {
      ...onWidgets,
      paramKind: { apiVersion: 'v1', kind: 'ConfigMap' },
      validations: [{ expression: 'params.dataa.size() > 0' }],
    }),
    policy('with-variables', {
      ...onWidgets,
      variables: [{ name: 'size', expression: 'object.spec.size' }],
      validations: [{ expression: "variables.size.startsWith('4')" }],
    }),
    policy('any', {
      matchConstraints: { resourceRules: [on('*', ['v1'], 'widgets'), on('example.com', ['v1'], '*')] },
      validations: [{ expression: 'object.nothing == 1' }],
    }),
  )
  const warnings = statuses.map((status) => status?.typeChecking?.expressionWarnings?.map(({ warning }) => warning))
  const of = (text: string, expression: string, column: number): string[] => [
    `example.com/v1, Kind=Widget: ERROR: <input>:1:${column}: ${text}\n | ${expression}\n | ${'.'.repeat(column - 1)}^\n`,
  ]
  expect(warnings).toEqual([
    of("found no matching overload for '_==_' applied to '(int, string)'", "object.spec.size == 'large'", 18),
    of("undefined field 'dataa'", 'params.dataa.size() > 0', 7),
    of("found no matching overload for 'startsWith' applied to 'int.(string)'", "variables.size.startsWith('4')", 26),
    undefined,
  ])
  expect(statuses.at(-1)).toEqual({ observedGeneration: 1, typeChecking: {} })
  await cluster.stop()
})
