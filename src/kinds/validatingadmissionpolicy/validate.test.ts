import { expect, it } from 'vitest'
import type { ValidatingAdmissionPolicy } from '../generated/types.ts'
import { validatePolicy, validatePolicyStatus } from './validate.ts'

const rule = { operations: ['CREATE'], apiGroups: [''], apiVersions: ['v1'], resources: ['pods'] }
const matchConstraints = { matchPolicy: 'Equivalent', namespaceSelector: {}, objectSelector: {}, resourceRules: [rule] }
const policy = (spec: object): ValidatingAdmissionPolicy =>
  ({
    metadata: { name: 'a' },
    spec: { failurePolicy: 'Fail', matchConstraints, validations: [{ expression: 'true' }], ...spec },
  }) as unknown as ValidatingAdmissionPolicy
const validation = (fields: object): object => ({ validations: [{ expression: 'true', ...fields }] })

it.each<[object, readonly (string | RegExp)[]]>([
  [{}, []],
  [validation({ message: ' ' }), ['spec.validations[0].message: Invalid value: " ": must be non-empty if specified']],
  [
    validation({ message: 'a\nb' }),
    ['spec.validations[0].message: Invalid value: "a\\nb": must not contain line breaks'],
  ],
  [validation({ reason: 'Unauthorized' }), [/^spec\.validations\[0\]\.reason: Unsupported value: "Unauthorized": /]],
  [validation({ expression: 'true ||\n false' }), []],
  [
    validation({ messageExpression: 'string(authorizer)' }),
    [/^spec\.validations\[0\]\.messageExpression: Invalid value: /],
  ],
  [
    validation({ expression: 'variables.a' }),
    [/^spec\.validations\[0\]\.expression: .*undeclared reference to 'variables'/s],
  ],
  [
    { variables: [{ name: 'if', expression: '1' }] },
    ['spec.variables[0].name: Invalid value: "if": must be a valid CEL identifier'],
  ],
  [
    { auditAnnotations: [{ key: '-', valueExpression: '"a"' }] },
    [/^spec\.auditAnnotations\[0\]\.key: Invalid value: "a\/-": /],
  ],
])('%j', (spec, texts) => {
  const faults = validatePolicy(policy(spec)).map(({ field, message }) => `${field}: ${message}`)
  expect(faults).toEqual(texts.map((text) => (typeof text === 'string' ? text : expect.stringMatching(text))))
})

it('checks what was found of types', () => {
  const status = { typeChecking: { expressionWarnings: [{ warning: '', fieldRef: 'spec' }] }, conditions: [] }
  const faults = validatePolicyStatus({ ...policy({}), status } as ValidatingAdmissionPolicy)
  expect(faults.map(({ field }) => field)).toEqual(['status.typeChecking.expressionWarnings[0].warning'])
})
