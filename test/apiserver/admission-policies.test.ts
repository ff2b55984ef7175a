// ValidatingAdmissionPolicies: what their expressions see, what bindings make of it, and what becomes of faults in them.

import { beforeEach, describe, expect, it } from 'vitest'
import {
  ConfigMap,
  Namespace,
  Role,
  RoleBinding,
  ValidatingAdmissionPolicy,
  ValidatingAdmissionPolicyBinding,
} from '#kinds'
import { made } from './objects.ts'
import { startServer, type TestServer, tester } from './server.ts'

const registration = 'admissionregistration.k8s.io/v1'
const map = (name: string, data: object = {}, labels: object = {}): ConfigMap =>
  made('ConfigMap', 'v1', { metadata: { name, namespace: 'default', labels }, data })

let server: TestServer
beforeEach(() => {
  server = startServer()
})

const rules = [{ apiGroups: [''], apiVersions: ['v1'], operations: ['CREATE'], resources: ['configmaps'] }]
/** Only objects with this label are judged, so that parameters can be made. */
const objectSelector = { matchLabels: { judged: 'yes' } }
const judged = { judged: 'yes' }

async function policy(spec: object, binding: object = {}): Promise<void> {
  const matchConstraints = { resourceRules: rules, objectSelector }
  await server.client.create(
    ValidatingAdmissionPolicy,
    made('ValidatingAdmissionPolicy', registration, {
      metadata: { name: 'p' },
      spec: { matchConstraints, validations: [{ expression: 'true' }], ...spec },
    }),
  )
  await bind('b', binding)
}

const bind = (name: string, spec: object): Promise<unknown> =>
  server.client.create(
    ValidatingAdmissionPolicyBinding,
    made('ValidatingAdmissionPolicyBinding', registration, {
      metadata: { name },
      spec: { policyName: 'p', validationActions: ['Deny'], ...spec },
    }),
  )

/** Status, message or warnings, and notes for the audit, of the creation of a ConfigMap that is judged. */
async function create(data: object = {}) {
  const notes: Record<string, string> = {}
  const { status, body, warnings } = await server.handle(
    {
      verb: 'create',
      resource: ConfigMap,
      namespace: 'default',
      body: { type: 'object', object: map('x', data, judged) },
      caller: tester,
      query: { dryRun: 'All' },
      annotate(key, value) {
        notes[key] = value
      },
    },
    new AbortController().signal,
  )
  const message = status < 400 || body.type !== 'object' ? undefined : (body.object['message'] as string)
  return { status, message, warnings, notes }
}

const denied = (text: string, who = "'p' with binding 'b'"): object => ({
  status: 422,
  message: `configmaps "x" is forbidden: ValidatingAdmissionPolicy ${who} denied request: ${text}`,
})

describe('parameters', () => {
  const paramKind = { apiVersion: 'v1', kind: 'ConfigMap' }
  const validations = [
    { expression: 'object.data.size() <= int(params.data.max)', messageExpression: "'at most ' + params.data.max" },
  ]
  const byName = { paramRef: { name: 'limits', namespace: 'kube-system', parameterNotFoundAction: 'Deny' } }
  const limits = (name: string, max: string): Promise<ConfigMap> =>
    server.client.create(
      ConfigMap,
      made('ConfigMap', 'v1', { metadata: { name, namespace: 'kube-system', labels: { is: 'limit' } }, data: { max } }),
    )

  it('are found by name; without them the binding says whether that is a fault', async () => {
    await policy({ paramKind, validations }, byName)
    expect(await create({ a: '1' })).toMatchObject(
      denied('failed to configure binding: no params found for policy binding with `Deny` parameterNotFoundAction'),
    )
    await limits('limits', '1')
    expect(await create({ a: '1' })).toMatchObject({ status: 201 })
    expect(await create({ a: '1', b: '2' })).toMatchObject(denied('at most 1'))
  })

  it('are found by labels: all of them must agree', async () => {
    const selector = { matchLabels: { is: 'limit' } }
    await policy(
      { paramKind, validations },
      { paramRef: { selector, namespace: 'kube-system', parameterNotFoundAction: 'Allow' } },
    )
    expect(await create({ a: '1', b: '2' })).toMatchObject({ status: 201 })
    await limits('loose', '5')
    await limits('tight', '1')
    expect(await create({ a: '1', b: '2' })).toMatchObject(denied('at most 1'))
  })

  it('of a kind that nobody knows are a fault of the policy', async () => {
    await policy(
      { paramKind: { apiVersion: 'rules.example.com/v1', kind: 'Limit' } },
      { paramRef: { name: 'a', parameterNotFoundAction: 'Allow' }, validationActions: ['Audit'] },
    )
    expect(await create()).toMatchObject(
      denied(
        "failed to configure policy: failed to find resource referenced by paramKind: 'rules.example.com/v1, Kind=Limit'",
        "'p'",
      ),
    )
  })
})

describe('expressions', () => {
  it('see the namespace, variables in their order, and what the caller may do', async () => {
    await policy({
      variables: [
        { name: 'team', expression: "namespaceObject.metadata.labels['kubernetes.io/metadata.name']" },
        { name: 'greeting', expression: "'hello ' + variables.team" },
      ],
      validations: [
        {
          expression:
            "variables.greeting != 'hello default' || !authorizer.group('').resource('secrets').namespace('default').check('list').allowed()",
          messageExpression: "variables.greeting + ', ' + request.userInfo.username",
        },
      ],
    })
    expect(await create()).toMatchObject(denied('hello default, tester'))
    const secrets = [{ apiGroups: [''], resources: ['configmaps'], verbs: ['create'] }]
    const rbac = 'rbac.authorization.k8s.io'
    const metadata = { name: 'r', namespace: 'default' }
    await server.client.create(Role, made('Role', `${rbac}/v1`, { metadata, rules: secrets }))
    const subjects = [{ apiGroup: rbac, kind: 'User', name: 'ann' }]
    const roleRef = { apiGroup: rbac, kind: 'Role', name: 'r' }
    await server.client.create(RoleBinding, made('RoleBinding', `${rbac}/v1`, { metadata, subjects, roleRef }))
    await server.as('ann').create(ConfigMap, map('y', {}, judged))
  })

  it('are about what the conditions and the labels of the namespace say', async () => {
    await policy(
      {
        matchConditions: [{ name: 'has-data', expression: "'a' in object.data" }],
        validations: [{ expression: 'false', message: 'no' }],
      },
      { matchResources: { namespaceSelector: { matchLabels: { strict: 'yes' } } } },
    )
    expect(await create({ a: '1' })).toMatchObject({ status: 201 })
    const labels = { strict: 'yes' }
    await server.client.patch(
      Namespace,
      { name: 'default' },
      { metadata: { labels } },
      { type: 'application/merge-patch+json' },
    )
    expect(await create({ b: '1' })).toMatchObject({ status: 201 })
    expect(await create({ a: '1' })).toMatchObject(denied('no'))
  })

  it("name nothing that is not there, and messages ask for nobody's rights", async () => {
    const validations = [
      { expression: 'objekt == null' },
      { expression: 'true', messageExpression: "authorizer.path('/').check('get').reason()" },
    ]
    await expect(policy({ validations })).rejects.toThrow(
      /undeclared reference to 'objekt' \(in container ''\)[\s\S]*undeclared reference to 'authorizer' \(in container ''\)/,
    )
  })

  it('have a message of one line, or the fixed one is told', async () => {
    await policy({ validations: [{ expression: 'false', messageExpression: "'a\\nb'", message: ' fixed ' }] })
    expect(await create()).toMatchObject(denied('fixed'))
  })

  it.each([
    ['Fail', denied("expression 'object.data.none == 1' resulted in error: no such key: none")],
    ['Ignore', { status: 201 }],
  ])('that fail refuse as the policy says: %s', async (failurePolicy, outcome) => {
    await policy({ failurePolicy, validations: [{ expression: 'object.data.none == 1' }] })
    expect(await create({ a: '1' })).toMatchObject(outcome)
  })

  it('may cost so much each, and so much together', async () => {
    const list = '[1, 2, 3, 4, 5, 6, 7, 8, 9, 10]'
    const nested = (depth: number): string => (depth === 0 ? 'true' : `${list}.all(x${depth}, ${nested(depth - 1)})`)
    await policy({ validations: [{ expression: nested(6) }] })
    expect(await create()).toMatchObject(
      denied(`expression '${nested(6)}' resulted in error: operation cancelled: actual cost limit exceeded`),
    )
    const many = Array.from({ length: 40 }, () => ({ expression: nested(5) }))
    await server.client.patch(
      ValidatingAdmissionPolicy,
      { name: 'p' },
      { spec: { validations: many } },
      { type: 'application/merge-patch+json' },
    )
    expect(await create()).toMatchObject(
      denied('validation failed due to running out of cost budget, no further validation rules will be run'),
    )
  })
})

describe('audits', () => {
  it('hear what policies note, once each, of all bindings', async () => {
    await policy(
      {
        paramKind: { apiVersion: 'v1', kind: 'ConfigMap' },
        auditAnnotations: [
          { key: 'size', valueExpression: 'string(object.data.size())' },
          { key: 'by', valueExpression: "params == null ? '' : string(params.metadata.name)" },
        ],
      },
      { validationActions: ['Audit'] },
    )
    for (const name of ['one', 'two']) {
      await server.client.create(ConfigMap, map(name))
      await bind(name, { validationActions: ['Audit'], paramRef: { name, parameterNotFoundAction: 'Deny' } })
    }
    const { status, notes } = await create({ a: '1' })
    expect(status).toBe(201)
    expect(notes).toEqual({ 'p/size': '1', 'p/by': 'one, two' })
  })

  it('hear of what is not denied', async () => {
    await policy(
      { validations: [{ expression: 'true' }, { expression: 'false' }] },
      { validationActions: ['Audit', 'Warn'] },
    )
    const { status, notes, warnings } = await create()
    expect(status).toBe(201)
    expect(warnings).toEqual([
      "Validation failed for ValidatingAdmissionPolicy 'p' with binding 'b': failed expression: false",
    ])
    expect(JSON.parse(notes['validation.policy.admission.k8s.io/validation_failure'] ?? '')).toEqual([
      {
        message: 'failed expression: false',
        policy: 'p',
        binding: 'b',
        expressionIndex: 1,
        validationActions: ['Audit', 'Warn'],
      },
    ])
  })

  it.each([
    ['Fail', denied("expression 'string(object.data.none)' resulted in error: no such key: none")],
    ['Ignore', { status: 201, notes: {} }],
  ])('for which a note cannot be made refuse as the policy says: %s', async (failurePolicy, outcome) => {
    await policy(
      { failurePolicy, auditAnnotations: [{ key: 'none', valueExpression: 'string(object.data.none)' }] },
      { validationActions: ['Warn'] },
    )
    expect(await create({ a: '1' })).toMatchObject(outcome)
  })
})
