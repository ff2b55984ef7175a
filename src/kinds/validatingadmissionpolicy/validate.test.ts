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
  // What is not known before it runs is no bool.
  [
    validation({ expression: 'object.spec.paused' }),
    ['spec.validations[0].expression: Invalid value: "object.spec.paused": must evaluate to bool but got dyn'],
  ],
  [
    validation({ messageExpression: '[1]' }),
    ['spec.validations[0].messageExpression: Invalid value: "[1]": must evaluate to string but got list(int)'],
  ],
  [
    { auditAnnotations: [{ key: 'a', valueExpression: '1' }] },
    [
      'spec.auditAnnotations[0].valueExpression: Invalid value: "1": must evaluate to one of [string null_type] but got int',
    ],
  ],
  // All that is wrong, not only the first.
  [
    validation({ expression: 'foo == request.nobody' }),
    [
      'spec.validations[0].expression: Invalid value: "foo == request.nobody": compilation failed: ' +
        "ERROR: <input>:1:1: undeclared reference to 'foo' (in container '')\n | foo == request.nobody\n | ^\n" +
        "ERROR: <input>:1:15: undefined field 'nobody'\n | foo == request.nobody\n | ..............^",
    ],
  ],
  // Variables have the types that they are seen to have.
  [
    {
      variables: [
        { name: 'is', expression: 'object.x == 1' },
        { name: 'not', expression: '!variables.is' },
      ],
      validations: [{ expression: 'variables.not' }],
    },
    [],
  ],
  [
    { variables: [{ name: 'a', expression: '1' }], validations: [{ expression: 'variables.b == 1' }] },
    [/undefined field 'b'/],
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
