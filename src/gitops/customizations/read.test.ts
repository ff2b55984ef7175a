import { describe, expect, test } from 'vitest'
import { customActions, ignoredForAll, ownHealthRule, readCustomizations } from './index.ts'

const script = (data: Readonly<Record<string, string>>, group: string, kind: string): string | undefined => {
  const rule = ownHealthRule(readCustomizations(data), group, kind)
  return rule?.type === 'script' ? rule.script.text : undefined
}

describe('health scripts', () => {
  const data = {
    'resource.customizations.health.example.io_Widget': 'exact',
    'resource.customizations.health.Pod': 'core',
    'resource.customizations': `
"*.example.io/*":
  health.lua: any kind of a subgroup
"*.aws.example.io/*":
  health.lua: any kind of aws
example.io/Gad*:
  health.lua: gadgets
other.io/Thing:
  health.lua: written in the map
apps/Deployment:
  ignoreDifferences: "jsonPointers: [/spec/replicas]"
`,
    'resource.customizations.health.other.io_Thing': 'key of its own',
    'resource.customizations.ignoreDifferences.all': 'jsonPointers: [/x]',
    'kustomize.buildOptions': '--enable-helm',
  }

  test.each([
    ['example.io', 'Widget', 'exact'],
    ['', 'Pod', 'core'],
    ['example.io', 'Gadget', 'gadgets'],
    ['s3.example.io', 'Bucket', 'any kind of a subgroup'],
    ['s3.aws.example.io', 'Bucket', 'any kind of aws'],
    ['other.io', 'Thing', 'key of its own'],
    ['example.io', 'Other', undefined],
    ['apps', 'Deployment', undefined],
    ['other', 'Pod', undefined],
  ])('of %s/%s: %s', (group, kind, expected) => {
    expect(script(data, group, kind)).toBe(expected)
    expect(readCustomizations(data).faults).toEqual([])
  })

  test('`all` is for every kind of a named group that has no other', () => {
    const every = { 'resource.customizations.health.all': 'every' }
    expect(script(every, 'example.io', 'Widget')).toBe('every')
  })

  test.each([
    ['true', true],
    ['t', true],
    ['FALSE', false],
  ])('libraries are open with useOpenLibs %s', (text, openLibs) => {
    const read = readCustomizations({
      'resource.customizations.useOpenLibs.example.io_Widget': text,
      'resource.customizations.health.example.io_Widget': 'x',
    })
    expect(ownHealthRule(read, 'example.io', 'Widget')).toMatchObject({ script: { openLibs } })
  })

  test('libraries are open in the map too', () => {
    const text = 'example.io/Widget: { health.lua: x, health.lua.useOpenLibs: true }'
    expect(
      ownHealthRule(readCustomizations({ 'resource.customizations': text }), 'example.io', 'Widget'),
    ).toMatchObject({
      script: { openLibs: true, key: 'resource.customizations example.io/Widget health.lua' },
    })
  })
})

describe('health expressions', () => {
  const key = 'resource.customizations.healthExpressions.example.io_Widget'

  test('are a list of rules', () => {
    const text = `
- status: failed
  when: status.phase == 'Broken'
  message: status.reason
- status: current
  when: true
`
    expect(ownHealthRule(readCustomizations({ [key]: text }), 'example.io', 'Widget')).toEqual({
      type: 'expressions',
      expressions: {
        key,
        rules: [
          { status: 'failed', when: "status.phase == 'Broken'", message: 'status.reason' },
          { status: 'current', when: 'true' },
        ],
      },
    })
  })

  test('give way to a script for the same kind, and it is told', () => {
    const health = 'resource.customizations.health.example.io_Widget'
    const read = readCustomizations({ [key]: "- { status: current, when: 'true' }", [health]: 'x' })
    expect(ownHealthRule(read, 'example.io', 'Widget')?.type).toBe('script')
    expect(read.faults).toEqual([`argocd-cm ${key}: is not used, for the same kind has a script under ${health}`])
  })
})

describe('actions', () => {
  test('are scripts by name', () => {
    const text = `
mergeBuiltinActions: true
discovery.lua: |
  return {}
definitions:
- name: poke
  action.lua: |
    return obj
`
    const key = 'resource.customizations.actions.apps_Deployment'
    expect(customActions(readCustomizations({ [key]: text }), 'apps', 'Deployment')).toEqual({
      key,
      discovery: 'return {}\n',
      definitions: [{ name: 'poke', text: 'return obj\n' }],
      mergeBuiltinActions: true,
    })
  })
})

describe('what cannot be read is told with its key, and the rest is used', () => {
  const expressions = 'resource.customizations.healthExpressions.example.io_Widget'
  const actions = 'resource.customizations.actions.apps_Deployment'
  test.each([
    ['resource.customizations', 'a: [', 'is no YAML: Flow sequence in block collection'],
    ['resource.customizations', '- a', 'must be a map of <group>/<Kind> to its customizations'],
    ['resource.customizations', 'a/B: text', 'a/B: must be a map, with health.lua for example'],
    ['resource.customizations.helth.a_B', 'x', 'helth is no customization; known are health, healthExpressions'],
    ['resource.customizations.health.a_B_C', 'x', 'the end of the key must be <group>_<Kind>'],
    ['resource.customizations.useOpenLibs.a_B', 'yes', 'must be "true" or "false", not "yes"'],
    [expressions, 'current: x', 'must be a list of {status, when, message}'],
    [expressions, '- { status: ready, when: x }', '[0].status must be one of current, inProgress, failed, suspended'],
    [expressions, '- { status: current }', '[0].when must be a CEL expression'],
    [
      expressions,
      '- { status: current, when: x, why: y }',
      '[0] has an unknown field why; known are status, when, message',
    ],
    [actions, 'definitions: []', 'discovery.lua must be a text'],
    [actions, 'discovery.lua: x\ndefinitions: [{ name: a }]', 'definitions[0].action.lua must be a text'],
    [actions, 'discovery.lua: x\nmergeBuiltInActions: true', 'the value has an unknown field mergeBuiltInActions'],
  ])('%s: %s', (key, text, message) => {
    const read = readCustomizations({ [key]: text, 'resource.customizations.health.x.io_Y': 'good' })
    expect(read.faults).toEqual([expect.stringContaining(`argocd-cm ${key}: ${message}`)])
    expect(ownHealthRule(read, 'x.io', 'Y')).toBeDefined()
  })
})

describe('what is no difference', () => {
  const key = 'resource.customizations.ignoreDifferences.apps_Deployment'

  test('in a kind, in all kinds, and in kinds by pattern', () => {
    const read = readCustomizations({
      [key]: 'jsonPointers: [/spec/replicas]',
      'resource.customizations.ignoreDifferences.all': 'managedFieldsManagers: [kube-controller-manager]',
      'resource.customizations': `
"*.example.io/*":
  ignoreDifferences: |
    jqPathExpressions: [".spec.a"]
Secret:
  ignoreDifferences: {jsonPointers: [/data]}
`,
    })
    expect(read.faults).toEqual([])
    expect(ignoredForAll(read)).toEqual([
      {
        key: 'resource.customizations *.example.io/* ignoreDifferences',
        group: '*.example.io',
        kind: '*',
        jqPathExpressions: ['.spec.a'],
      },
      { key: 'resource.customizations Secret ignoreDifferences', group: '', kind: 'Secret', jsonPointers: ['/data'] },
      { key, group: 'apps', kind: 'Deployment', jsonPointers: ['/spec/replicas'] },
      {
        key: 'resource.customizations.ignoreDifferences.all',
        group: '*',
        kind: '*',
        managedFieldsManagers: ['kube-controller-manager'],
      },
    ])
  })

  test.each([
    ['- a', 'the value must be a map of jsonPointers, jqPathExpressions, managedFieldsManagers'],
    ['jsonPointer: [/a]', 'the value has an unknown field jsonPointer'],
    ['jsonPointers: /a', 'jsonPointers must be a list of texts'],
    ['jsonPointers: [a]', 'jsonPointers: a must begin with a slash, as /spec/replicas'],
  ])('%s cannot be read', (text, message) => {
    const read = readCustomizations({ [key]: text })
    expect(read.faults).toEqual([expect.stringContaining(`argocd-cm ${key}: ${message}`)])
    expect(ignoredForAll(read)).toEqual([])
  })

  test.each([
    ['ignoreAggregatedRoles: true', { ignoreAggregatedRoles: true, ignoreResourceStatusField: 'all' }],
    ['ignoreResourceStatusField: crd', { ignoreAggregatedRoles: false, ignoreResourceStatusField: 'crd' }],
    ['ignoreResourceStatusField: none', { ignoreAggregatedRoles: false, ignoreResourceStatusField: 'none' }],
    ['ignoreDifferencesOnResourceUpdates: true', { ignoreAggregatedRoles: false, ignoreResourceStatusField: 'all' }],
    ['', { ignoreAggregatedRoles: false, ignoreResourceStatusField: 'all' }],
  ])('resource.compareoptions %s', (text, compare) => {
    expect(readCustomizations({ 'resource.compareoptions': text })).toEqual({ all: [], compare, faults: [] })
  })

  test.each([
    ['ignoreAggregatedRoles: maybe', 'ignoreAggregatedRoles must be true or false'],
    ['ignoreResourceStatusField: some', 'ignoreResourceStatusField must be all, crd or none'],
    ['ignoreStatus: true', 'has an unknown field ignoreStatus'],
    ['[]', 'must be a map of'],
  ])('resource.compareoptions %s cannot be read', (text, message) => {
    const { faults } = readCustomizations({ 'resource.compareoptions': text })
    expect(faults).toEqual([expect.stringContaining(`argocd-cm resource.compareoptions: ${message}`)])
  })
})
