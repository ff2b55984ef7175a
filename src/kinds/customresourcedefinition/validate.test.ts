import { describe, expect, it } from 'vitest'
import type { CustomResourceDefinition, JSONSchemaProps } from '../generated/types.ts'
import { installedDefinitions } from '../installed.ts'
import { customResourceDefinitionRules as rules } from './index.ts'

type Version = CustomResourceDefinition['spec']['versions'][number]

const version = (schema: JSONSchemaProps, more: Partial<Version> = {}): Version => ({
  name: 'v1',
  served: true,
  storage: true,
  schema: { openAPIV3Schema: schema },
  ...more,
})

const definition = (...versions: readonly Version[]): CustomResourceDefinition => ({
  apiVersion: 'apiextensions.k8s.io/v1',
  kind: 'CustomResourceDefinition',
  metadata: { name: 'widgets.example.com' },
  spec: { group: 'example.com', scope: 'Namespaced', names: { plural: 'widgets', kind: 'Widget' }, versions },
})

function ready(given: CustomResourceDefinition): CustomResourceDefinition {
  const full = rules.defaults?.(given) ?? given
  return rules.prepareForCreate?.(full) ?? full
}

const faultsOf = (given: CustomResourceDefinition): readonly string[] =>
  (rules.validate?.(ready(given)) ?? []).map(({ field, message }) => `${field}: ${message}`)

const object = (properties: Readonly<Record<string, JSONSchemaProps>>): JSONSchemaProps => ({
  type: 'object',
  properties,
})
const at = 'spec.validation.openAPIV3Schema'

it('takes the definitions of this house', () => {
  for (const one of installedDefinitions) expect(faultsOf(one)).toEqual([])
})

it('takes what will be told later whom to trust', () => {
  const { spec, ...rest } = definition(version(object({})))
  const clientConfig = { url: 'https://a.example', caBundle: 'Cg==' }
  const conversion = { strategy: 'Webhook', webhook: { clientConfig, conversionReviewVersions: ['v1'] } }
  const given = ready({ ...rest, spec: { ...spec, conversion } } as CustomResourceDefinition)
  expect(rules.validate?.(given)).toEqual([])
  expect(rules.validateUpdate?.(given, given)).toEqual([])
})

it('names what was left out', () => {
  const { spec, status } = ready(definition(version(object({}))))
  expect(spec.names).toEqual({ plural: 'widgets', kind: 'Widget', singular: 'widget', listKind: 'WidgetList' })
  expect(spec.conversion).toEqual({ strategy: 'None' })
  expect(status?.storedVersions).toEqual(['v1'])
})

describe('schemas', () => {
  it.each<[string, JSONSchemaProps, readonly string[]]>([
    [
      'an int-or-string',
      object({ a: { 'x-kubernetes-int-or-string': true, anyOf: [{ type: 'integer' }, { type: 'string' }] } }),
      [],
    ],
    [
      'rules within what is combined',
      {
        ...object({ a: { type: 'string' } }),
        allOf: [{ properties: { a: { 'x-kubernetes-validations': [{ rule: "self != ''" }] } } }],
        not: { 'x-kubernetes-validations': [{ rule: 'true' }] },
      },
      [
        `${at}.allOf[0].properties[a].x-kubernetes-validations: Forbidden: must be empty to be structural`,
        `${at}.not.x-kubernetes-validations: Forbidden: must be empty to be structural`,
      ],
    ],
    [
      'an int-or-string that does not say so',
      object({ a: { anyOf: [{ type: 'integer' }, { type: 'string' }] } }),
      [`${at}.properties[a].type: Required value: must not be empty for specified object fields`],
    ],
    ['unknown fields kept', object({ a: { 'x-kubernetes-preserve-unknown-fields': true } }), []],
    [
      'a type that is none',
      object({ a: { type: 'text' } }),
      [
        `${at}.properties[a].type: Unsupported value: "text": supported values: "array", "boolean", "integer", "number", "object", "string"`,
      ],
    ],
    [
      'a rule of a field about what is not defined',
      object({
        a: { ...object({}), oneOf: [{ properties: { b: { minimum: 1 } } }, { not: { items: { minimum: 1 } } }] },
      }),
      [],
    ],
    [
      'what is no structural schema, and so is not held to be one',
      object({ a: { 'x-kubernetes-preserve-unknown-fields': false }, b: {} }),
      [`${at}.properties[a].x-kubernetes-preserve-unknown-fields: Invalid value: false: must be true or undefined`],
    ],
    [
      'a rule of what is not defined',
      { ...object({}), anyOf: [{ required: ['b'], properties: { b: { minimum: 1 } } }] },
      [`${at}.properties[b]: Required value: because it is defined in ${at}.anyOf[0].properties[b]`],
    ],
    [
      'more of metadata than names',
      object({ metadata: { type: 'object', properties: { labels: { type: 'object' } } } }),
      [
        `${at}.properties[metadata]: Forbidden: must not specify anything other than name and generateName, but metadata is implicitly specified`,
      ],
    ],
    [
      'a default with unknown fields',
      object({ a: { type: 'object', default: { b: 1 } } }),
      [`${at}.properties[a].default: Invalid value: {"b":1}: must not have unknown fields`],
    ],
    [
      'a default of a list',
      object({ a: { type: 'array', items: { type: 'integer' }, default: [1, 'x'] } }),
      [`${at}.properties[a].default.[1]: Invalid value: "string": [1] in body must be of type integer: "string"`],
    ],
    [
      'a bad pattern',
      object({ a: { type: 'string', pattern: '(' } }),
      [
        `${at}.properties[a].pattern: Invalid value: "(": must be a valid regular expression, but isn't: error parsing regexp: missing closing ): \`(\``,
      ],
    ],
    [
      'two list types in one',
      object({ a: { type: 'string', 'x-kubernetes-list-type': 'map' } }),
      [
        `${at}.properties[a].type: Invalid value: "string": must be array if x-kubernetes-list-type is specified`,
        `${at}.properties[a].x-kubernetes-list-map-keys: Required value: must not be empty if x-kubernetes-list-type is map`,
        `${at}.properties[a].items: Required value: must have a schema if x-kubernetes-list-type is map`,
      ],
    ],
  ])('%s', (_what, schema, expected) => {
    expect(faultsOf(definition(version(schema)))).toEqual(expected)
  })
})

describe('rules', () => {
  const fields = {
    list: { type: 'array', maxItems: 9, items: { type: 'object', properties: { n: { type: 'integer' } } } },
    map: { type: 'object', additionalProperties: { type: 'string' } },
    'a-b': { type: 'string' },
  }
  const ruled = (rule: object, more: object = {}) =>
    definition(
      version({
        ...object({ ...fields, ...more }),
        'x-kubernetes-validations': [{ message: 'no', ...rule } as never],
      }),
    )
  const place = 'spec.validation.openAPIV3Schema.x-kubernetes-validations[0]'
  const told = (rule: object) => faultsOf(ruled(rule)).map((fault) => fault.split('\n')[0])

  it.each([
    ['self.metadata.name.size() > 0 && self.kind == self.apiVersion'],
    ["self.list.all(e, e.n > 0) && self.map.all(k, k.size() > 0) && self.map.a == 'x'"],
    ["self.list.filter(e, has(e.n)).exists(e, e.n == 1) && self.a__dash__b == 'x'"],
    ['self.list.all(i, e, e.n > i)'],
  ])('%s', (rule) => {
    expect(told({ rule })).toEqual([])
  })

  it.each([
    ['self.nope == 1', "ERROR: <input>:1:5: undefined field 'nope'"],
    ['has(self.list) && self.list.all(e, e.m > 0)', "ERROR: <input>:1:37: undefined field 'm'"],
    ['self.metadata.labels.size() > 0', "ERROR: <input>:1:14: undefined field 'labels'"],
    ['self.kind.size.x == 1', "type 'string' does not support field selection"],
  ])('%s is no rule', (rule, text) => {
    expect(told({ rule })).toEqual([expect.stringContaining(text)])
  })

  it('are read where nothing else is wrong, whatever is wrong beside them', () => {
    const bad = { message: 'no', rule: 'self.nope == 1' }
    const inner = { type: 'object', properties: { n: { type: 'integer' } }, 'x-kubernetes-validations': [bad] }
    const faulty = { type: 'array', items: inner, 'x-kubernetes-list-type': 'set', 'x-kubernetes-validations': [bad] }
    const rule = { message: 'no', messageExpression: '1', rule: 'self.lost == 1', optionalOldSelf: true }
    const properties = { faulty, sound: { ...inner, 'x-kubernetes-validations': [bad, rule] } }
    const told = faultsOf(definition(version({ ...object(properties as never), 'x-kubernetes-validations': [bad] })))
    expect(told.map((fault) => fault.slice(at.length).split(/: I.*compilation|: I.*: /)[0])).toEqual([
      '.properties[faulty].items.x-kubernetes-map-type',
      '.properties[faulty].items.x-kubernetes-validations[0].rule',
      '.properties[sound].x-kubernetes-validations[0].rule',
      '.properties[sound].x-kubernetes-validations[1].rule',
      '.properties[sound].x-kubernetes-validations[1].optionalOldSelf',
    ])
  })

  it('say whether it is the message that cannot be read', () => {
    expect(told({ rule: 'true', messageExpression: 'self.nope' })).toEqual([
      expect.stringContaining('messageExpression compilation failed: ERROR'),
    ])
  })

  it('may not cost too much, by the limits of the schema', () => {
    const list = { type: 'array', items: { type: 'object', properties: { n: { type: 'integer' } } } }
    const rule = { rule: 'self.list.all(a, self.list.exists(b, a.n == b.n))' }
    expect(faultsOf(ruled(rule, { list }))).toEqual([
      expect.stringContaining(
        'Forbidden: estimated rule cost exceeds budget by factor of more than 100x (try simplifying',
      ),
      expect.stringContaining('contributed to estimated rule cost total'),
      expect.stringContaining('rule cost total for entire OpenAPIv3 schema exceeds budget'),
    ])
    expect(told(rule)).toEqual([])
  })

  it('name the place of their fault by a path that there is', () => {
    const rule = 'self.list.size() > 0'
    expect(told({ rule, fieldPath: '.list' })).toEqual([])
    expect(told({ rule, fieldPath: ".map['x.y']" })).toEqual([])
    expect(told({ rule, fieldPath: '.lost' })).toEqual([
      `${place}.fieldPath: Invalid value: ".lost": must be a valid path`,
    ])
  })

  it('speak of what was before only where that is known', () => {
    expect(told({ rule: 'self.list.size() > 0', optionalOldSelf: true })).toEqual([
      `${place}.optionalOldSelf: Invalid value: true: may not be set if oldSelf is not used in rule`,
    ])
    const items = { type: 'object', 'x-kubernetes-validations': [{ rule: 'self == oldSelf', message: 'no' }] }
    expect(faultsOf(definition(version(object({ list: { type: 'array', items } }))))).toEqual([
      'spec.validation.openAPIV3Schema.properties[list].items.x-kubernetes-validations[0].rule: Invalid value: "self == oldSelf": oldSelf cannot be used on the uncorrelatable portion of the schema within spec.validation.openAPIV3Schema.properties[list]',
    ])
  })
})

describe('versions', () => {
  it('tells faults of a schema of one version at that version', () => {
    const v2 = version(object({ a: { type: 'array' } }), { name: 'v2', storage: false })
    expect(faultsOf(definition(version(object({})), v2))).toEqual([
      'spec.versions[1].schema.openAPIV3Schema.properties[a].items: Required value: must be specified',
    ])
  })

  it('keep the fields of scale under spec and status', () => {
    const subresources = { scale: { specReplicasPath: '.status.n', statusReplicasPath: 'n' } }
    expect(faultsOf(definition(version(object({}), { subresources })))).toEqual([
      'spec.subresources.scale.specReplicasPath: Invalid value: ".status.n": should be a json path under .spec',
      'spec.subresources.scale.statusReplicasPath: Invalid value: "n": must be a simple json path starting with .',
    ])
  })

  it('may not go while objects may be stored in them', () => {
    const old = ready(definition(version(object({}))))
    const next = rules.prepareForUpdate?.(ready(definition(version(object({}), { name: 'v2' }))), old)
    if (next === undefined) throw new Error('the rule is there')
    expect(rules.validateUpdate?.(next, old).map(({ field }) => field)).toEqual(['status.storedVersions[0]'])
  })
})
