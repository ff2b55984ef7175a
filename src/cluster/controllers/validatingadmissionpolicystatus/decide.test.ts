import { describe, expect, it } from 'vitest'
import type { ValidatingAdmissionPolicy } from '#kinds'
import { decideWarnings, kindsToCheck } from './decide.ts'
import { knownKinds } from './known-kinds.ts'

const known = knownKinds([])
const rule = (apiGroups: string[], apiVersions: string[], resources: string[]) => ({
  apiGroups,
  apiVersions,
  resources,
})

describe('kindsToCheck', () => {
  const names = (...rules: ReturnType<typeof rule>[]): readonly string[] =>
    kindsToCheck(rules, known).map(({ group, version, kind }) => `${group}/${version} ${kind}`)

  it.each<[string, ReturnType<typeof rule>, readonly string[]]>([
    ['by their names', rule(['', 'apps'], ['v1'], ['pods', 'deployments']), ['/v1 Pod', 'apps/v1 Deployment']],
    ['no group that is any', rule(['*'], ['v1'], ['pods']), []],
    ['no version that is any', rule([''], ['v1', '*'], ['pods']), []],
    ['other resources beside those that are any', rule([''], ['v1'], ['*', 'pods/status', 'pods']), ['/v1 Pod']],
    ['nothing that is not served', rule(['apps'], ['v1beta1'], ['deployments', 'nothings']), []],
  ])('are %s', (_, one, expected) => {
    expect(names(one)).toEqual(expected)
  })

  it('are at most ten of a rule, and then no more of others', () => {
    const many = 'configmaps endpoints events limitranges namespaces nodes persistentvolumeclaims pods secrets services'
    const ten = rule([''], ['v1'], many.split(' '))
    expect(names(ten, rule(['apps'], ['v1'], ['deployments']))).toHaveLength(10)
    expect(names(rule(['apps'], ['v1'], ['deployments']), ten)).toHaveLength(11)
  })
})

it.each<[string, string | undefined]>([
  ['object.spec.containers.all(c, c.image.startsWith("x"))', undefined],
  ['object.spec.containers.all(c, c.img.startsWith("x"))', "1:32: undefined field 'img'"],
  ['object.metadata.labels["a"] == 1', "1:29: found no matching overload for '_==_' applied to '(string, int)'"],
  ['object.metadata.creationTimestamp < timestamp("2024-01-01T00:00:00Z")', undefined],
  ['object.spec.containers[0].ports[0].hostPort > oldObject.spec.none', "1:61: undefined field 'none'"],
  ['object.spec.containers[0].livenessProbe.httpGet.port == 80', undefined],
  // Schemas name no type for quantities, so that CEL has none.
  ['"cpu" in object.spec.containers[0].resources.limits', "1:45: undefined field 'limits'"],
  ['request.operation == "CREATE" && namespaceObject.metadata.name == request.user', "1:74: undefined field 'user'"],
  ['params.x == 1', "1:1: undeclared reference to 'params' (in container '')"],
  ['authorizer.group("").resource("pods").check("get").allowed()', undefined],
  ['["a", "b"].sort() == []', undefined],
])('%s against a pod', (expression, fault) => {
  const policy = {
    spec: {
      matchConstraints: { resourceRules: [rule([''], ['v1'], ['pods'])] },
      validations: [{ expression }],
    },
  } as unknown as ValidatingAdmissionPolicy
  const [told] = decideWarnings(policy, known)
  expect(told?.warning.split('\n')[0]).toBe(fault && `/v1, Kind=Pod: ERROR: <input>:${fault}`)
})
