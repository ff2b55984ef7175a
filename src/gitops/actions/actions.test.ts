import { afterAll, describe, expect, test } from 'vitest'
import { noCustomizations, readCustomizations } from '#gitops/customizations'
import { createLua } from '#gitops/tools'
import type { AnyObject } from '#objects'
import { simulatedWorld } from '#world'
import { createActions, type Impact, type ResourceAction } from './index.ts'

const world = simulatedWorld(1)
const lua = createLua(world)
afterAll(() => lua.close())
const actions = createActions(world, lua)

const list = (object: AnyObject, customizations = noCustomizations): Promise<readonly ResourceAction[]> =>
  world.drive(() => actions.list(object, customizations))
const plan = (
  object: AnyObject,
  action: string,
  more: { readonly customizations?: typeof noCustomizations; readonly parameters?: Record<string, string> } = {},
): Promise<readonly Impact[]> =>
  world.drive(() =>
    actions.plan(object, more.customizations ?? noCustomizations, { action, parameters: more.parameters ?? {} }),
  )

const make = (apiVersion: string, kind: string, spec: object, more: object = {}): AnyObject => ({
  apiVersion,
  kind,
  metadata: { name: 'x', namespace: 'shop', uid: 'u-1' },
  spec,
  ...more,
})
const deployment = (spec: object = {}) => make('apps/v1', 'Deployment', { replicas: 3, ...spec })
const finished = (type: string) => ({ status: { conditions: [{ type, status: 'True' }] } })

describe('built-in actions', () => {
  test.each<[what: string, object: AnyObject, offered: readonly string[]]>([
    ['a Deployment', deployment(), ['pause', 'restart', 'resume (disabled)', 'scale replicas=3']],
    [
      'a paused one',
      deployment({ paused: true }),
      ['pause (disabled)', 'restart (disabled)', 'resume', 'scale replicas=3'],
    ],
    ['a StatefulSet', make('apps/v1', 'StatefulSet', {}), ['restart', 'scale replicas=1']],
    ['a DaemonSet', make('apps/v1', 'DaemonSet', {}), ['restart']],
    ['a CronJob', make('batch/v1', 'CronJob', {}), ['create-job', 'resume (disabled)', 'suspend']],
    ['a suspended one', make('batch/v1', 'CronJob', { suspend: true }), ['create-job', 'resume', 'suspend (disabled)']],
    ['a Job', make('batch/v1', 'Job', {}), ['resume (disabled)', 'suspend', 'terminate']],
    [
      'a suspended Job',
      make('batch/v1', 'Job', { suspend: true }),
      ['resume', 'suspend (disabled)', 'terminate (disabled)'],
    ],
    ...['Complete', 'Failed'].map((type): [string, AnyObject, readonly string[]] => [
      `a Job that is ${type}`,
      make('batch/v1', 'Job', { suspend: false }, finished(type)),
      ['resume (disabled)', 'suspend (disabled)', 'terminate (disabled)'],
    ]),
    ['an Application', make('argoproj.io/v1alpha1', 'Application', {}), ['toggle-auto-sync']],
    ['a ConfigMap', make('v1', 'ConfigMap', {}), []],
    ['a Deployment of another group', make('example.io/v1', 'Deployment', {}), []],
  ])('%s has %#', async (_, object, offered) => {
    const shown = (await list(object)).map(({ name, disabled, params = [] }) =>
      [
        name,
        ...params.map((param) => `${param.name}=${param.default}`),
        ...(disabled === true ? ['(disabled)'] : []),
      ].join(' '),
    )
    expect(shown).toEqual(offered)
  })

  const at = '2026-01-01T00:00:00Z'
  const template = { metadata: { labels: { a: 'b' }, annotations: { c: 'd' } }, spec: {} }
  test.each<[action: string, object: AnyObject, spec: object]>([
    [
      'restart',
      deployment({ template }),
      {
        replicas: 3,
        template: {
          metadata: { labels: { a: 'b' }, annotations: { c: 'd', 'kubectl.kubernetes.io/restartedAt': at } },
          spec: {},
        },
      },
    ],
    ['pause', deployment(), { replicas: 3, paused: true }],
    ['resume', deployment({ paused: true }), { replicas: 3, paused: false }],
    ['scale', deployment(), { replicas: 3 }],
    ['suspend', make('batch/v1', 'CronJob', { schedule: '* * * * *' }), { schedule: '* * * * *', suspend: true }],
    ['resume', make('batch/v1', 'Job', { suspend: true }), { suspend: false }],
    ['terminate', make('batch/v1', 'Job', {}), { activeDeadlineSeconds: 1 }],
    [
      'toggle-auto-sync',
      make('argoproj.io/v1alpha1', 'Application', {}),
      { syncPolicy: { automated: { enabled: true } } },
    ],
    [
      'toggle-auto-sync',
      make('argoproj.io/v1alpha1', 'Application', { syncPolicy: { automated: { prune: true } } }),
      { syncPolicy: { automated: { prune: true, enabled: false } } },
    ],
  ])('%s changes the spec of %j', async (action, object, spec) => {
    expect(await plan(object, action)).toEqual([{ operation: 'patch', object: { ...object, spec } }])
  })

  test('scale takes the number of replicas', async () => {
    const [impact] = await plan(deployment(), 'scale', { parameters: { replicas: '0' } })
    expect(impact?.object['spec']).toEqual({ replicas: 0 })
    for (const replicas of ['-1', 'two', '1.5', ''])
      await expect(plan(deployment(), 'scale', { parameters: { replicas } })).rejects.toMatchObject({
        reason: 'invalid',
      })
  })

  test('create-job makes a Job that the CronJob owns', async () => {
    const jobTemplate = { metadata: { labels: { a: 'b' } }, spec: { template: { spec: {} } } }
    expect(await plan(make('batch/v1', 'CronJob', { jobTemplate }), 'create-job')).toEqual([
      {
        operation: 'create',
        object: {
          apiVersion: 'batch/v1',
          kind: 'Job',
          metadata: {
            name: 'x-1767225600',
            namespace: 'shop',
            labels: { a: 'b' },
            annotations: { 'cronjob.kubernetes.io/instantiate': 'manual' },
            ownerReferences: [{ apiVersion: 'batch/v1', kind: 'CronJob', name: 'x', uid: 'u-1', controller: true }],
          },
          spec: { template: { spec: {} } },
        },
      },
    ])
  })

  test('one that is disabled or unknown is refused', async () => {
    await expect(plan(deployment(), 'resume')).rejects.toMatchObject({
      reason: 'disabled',
      message: 'action resume is disabled for Deployment x as it is now',
    })
    await expect(plan(deployment(), 'explode')).rejects.toMatchObject({
      reason: 'invalid',
      message: 'Deployment x has no action explode (it has pause, restart, resume, scale)',
    })
  })
})

describe("users' actions", () => {
  const key = 'resource.customizations.actions.apps_Deployment'
  const custom = (discovery: string, definitions: Readonly<Record<string, string>> = {}, merge = false) =>
    readCustomizations({
      [key]: JSON.stringify({
        'discovery.lua': discovery,
        definitions: Object.entries(definitions).map(([name, text]) => ({ name, 'action.lua': text })),
        mergeBuiltinActions: merge,
      }),
    })

  const discovery = `
actions = {}
actions["poke"] = {}
actions["restart"] = { disabled = obj.spec.replicas == 3, displayName = "Again", iconClass = "fa fa-x" }
actions["size"] = { params = { { name = "to", default = 5 }, { name = "why" } } }
return actions`
  const own = [
    { name: 'poke' },
    { name: 'restart', disabled: true, displayName: 'Again', iconClass: 'fa fa-x' },
    { name: 'size', params: [{ name: 'to', default: '5' }, { name: 'why' }] },
  ]

  test('replace those of the kind', async () => {
    expect(await list(deployment(), custom(discovery))).toEqual(own)
    expect(await list(deployment(), custom('return {}'))).toEqual([])
    expect(await list(make('apps/v1', 'DaemonSet', {}), custom(discovery))).toHaveLength(1)
  })

  test('or come before them with mergeBuiltinActions', async () => {
    const all = await list(deployment(), custom(discovery, {}, true))
    expect(all.map(({ name }) => name)).toEqual(['pause', 'poke', 'restart', 'resume', 'scale', 'size'])
    expect(all.find(({ name }) => name === 'restart')).toEqual(own[1])
  })

  test('with mergeBuiltinActions the others still run', async () => {
    const [impact] = await plan(deployment(), 'pause', { customizations: custom(discovery, {}, true) })
    expect(impact?.object['spec']).toEqual({ replicas: 3, paused: true })
  })

  test('return the changed object; maps that are empty stay maps', async () => {
    const object = deployment({ strategy: {}, list: [], template: { spec: { volumes: [{ emptyDir: {} }] } } })
    const text = 'obj.metadata.labels = { poked = "yes" } return obj'
    expect(await plan(object, 'poke', { customizations: custom(discovery, { poke: text }) })).toEqual([
      { operation: 'patch', object: { ...object, metadata: { ...object.metadata, labels: { poked: 'yes' } } } },
    ])
  })

  test('are given their parameters as texts', async () => {
    const customizations = custom(discovery, { size: 'obj.spec.replicas = tonumber(actionParams.to) return obj' })
    const [impact] = await plan(deployment(), 'size', { customizations, parameters: { to: '7' } })
    expect(impact?.object['spec']).toEqual({ replicas: 7 })
  })

  test('may create objects', async () => {
    const text = `
local os = require("os")
local job = { apiVersion = "batch/v1", kind = "Job", metadata = { name = obj.metadata.name .. os.date("!-%Y%m%d"), namespace = obj.metadata.namespace } }
obj.spec.paused = true
return { { operation = "create", resource = job }, { operation = "patch", resource = obj } }`
    expect(await plan(deployment(), 'poke', { customizations: custom(discovery, { poke: text }) })).toEqual([
      {
        operation: 'create',
        object: { apiVersion: 'batch/v1', kind: 'Job', metadata: { name: 'x-20260101', namespace: 'shop' } },
      },
      { operation: 'patch', object: deployment({ paused: true }) },
    ])
  })

  test.each([
    ['error("no")', {}, `argocd-cm ${key}: discovery.lua:1: no`],
    ['return { a = 1 }', {}, `argocd-cm ${key}: discovery.lua: action a must be a table`],
    ['return { poke = {} }', {}, `argocd-cm ${key}: discovery.lua offers poke, definitions has no such action`],
    [
      'return { poke = {} }',
      { poke: '\nobj.x.y = 1' },
      `argocd-cm ${key} poke: action.lua:2: attempt to index field 'x'`,
    ],
    ['return { poke = {} }', { poke: 'return 1' }, 'action.lua must return the changed object'],
    [
      'return { poke = {} }',
      { poke: 'obj.metadata.name = "y" return obj' },
      'can be patched, not apps/v1 Deployment shop/y',
    ],
    [
      'return { poke = {} }',
      { poke: 'return { { operation = "delete", resource = obj } }' },
      'result[1].operation must be "create" or "patch", not "delete"',
    ],
    ['return { poke = {} }', { poke: 'return { status = "x" }' }, 'must have apiVersion, kind and metadata'],
    [
      'return { poke = {} }',
      { poke: 'return { { operation = "create" } }' },
      'result[1] must be {operation, resource}',
    ],
    ['return { poke = {} }', { poke: 'return string.rep("x", 2)' }, "attempt to index global 'string' (a nil value)"],
  ])('that fail are told: %s %j', async (text, definitions, message) => {
    await expect(plan(deployment(), 'poke', { customizations: custom(text, definitions) })).rejects.toMatchObject({
      reason: 'failed',
      message: expect.stringContaining(message),
    })
  })
})
