// Users' own health rules in argocd-cm: what they say counts for resources, applications and waves, and one that fails is told.

import { afterEach, describe, expect, test } from 'vitest'
import { ConfigMap } from '#kinds'
import { definitionOf, Widget } from '../support/custom-kinds.ts'
import { application, appNamespace, auto, configMap, type Lab, manifest, startLab } from './reconciler.ts'

let lab: Lab
afterEach(() => lab.stop())

const settings = { namespace: appNamespace, name: 'argocd-cm' }
const shop = (name: string) => ({ namespace: 'shop', name })

async function configure(data: Readonly<Record<string, string>>): Promise<void> {
  if ((await lab.find(ConfigMap, settings)) === undefined)
    await lab.client.create(ConfigMap, { apiVersion: 'v1', kind: 'ConfigMap', metadata: settings, data })
  else await lab.client.patch(ConfigMap, settings, [{ op: 'replace', path: '/data', value: data }], jsonPatch)
  await lab.world.settle()
}
const jsonPatch = { type: 'application/json-patch+json' } as const

const healthOf = async (name: string): Promise<string | undefined> => (await lab.app(name))?.status?.health?.status
const resource = async (name: string) =>
  (await lab.app('web'))?.status?.resources?.find((each) => each.name === name)?.health
const warnings = async (): Promise<readonly string[]> =>
  ((await lab.app('web'))?.status?.conditions ?? [])
    .filter(({ type }) => type === 'CustomizationWarning')
    .map(({ message }) => message)

const annotated = (name: string, ready: string) =>
  lab.client.patch(
    ConfigMap,
    shop(name),
    { metadata: { annotations: { ready } } },
    { type: 'application/merge-patch+json' },
  )

const key = 'resource.customizations.health.ConfigMap'
const byAnnotation = `
hs = { status = "Progressing", message = "not ready yet" }
if obj.metadata.annotations ~= nil and obj.metadata.annotations.ready == "yes" then
  hs.status = "Healthy"
  hs.message = obj.metadata.name .. " is ready"
end
return hs
`

describe('a health script in argocd-cm', () => {
  test('is the health of its kind, at once when it, or an object, changes', async () => {
    lab = await startLab({ files: { 'web/a.yaml': configMap('a', '1') } })
    await lab.create(application('web', lab.repo, { automated: auto }))
    await lab.settled('web')
    await configure({ [key]: byAnnotation })
    await lab.until(async () => (await healthOf('web')) === 'Progressing')
    expect(await resource('a')).toEqual({ status: 'Progressing', message: 'not ready yet' })
    await annotated('a', 'yes')
    await lab.until(async () => (await healthOf('web')) === 'Healthy')
    expect(await resource('a')).toEqual({ status: 'Healthy', message: 'a is ready' })
    await configure({})
    await lab.until(async () => (await resource('a')) === undefined)
  })

  test('holds back the next wave', async () => {
    const later = { 'argocd.argoproj.io/sync-wave': '1' }
    lab = await startLab({
      files: { 'web/a.yaml': configMap('first', '1'), 'web/b.yaml': configMap('next', '1', later) },
    })
    const onlyFirst = byAnnotation.replace('hs = {', 'if obj.metadata.name ~= "first" then return nil end hs = {')
    await configure({ [key]: onlyFirst })
    await lab.create(application('web', lab.repo, { automated: auto }))
    await lab.until(
      async () =>
        (await lab.app('web'))?.status?.operationState?.message === 'waiting for healthy state of /ConfigMap/first',
    )
    await lab.world.advance(120_000)
    expect(await lab.find(ConfigMap, shop('next'))).toBeUndefined()
    await annotated('first', 'yes')
    await lab.settled('web')
    expect(await lab.find(ConfigMap, shop('next'))).toBeDefined()
  })

  test('that fails leaves health Unknown and tells the application, until it is mended', async () => {
    lab = await startLab({ files: { 'web/a.yaml': configMap('a', '1'), 'web/b.yaml': configMap('b', '1') } })
    await configure({ [key]: '\nreturn { status = obj.status.phase }' })
    await lab.create(application('web', lab.repo, { automated: auto }))
    await lab.until(async () => (await healthOf('web')) === 'Unknown')
    const told = `argocd-cm ${key}: health.lua:2: attempt to index field 'status' (a nil value)`
    expect(await resource('a')).toEqual({ status: 'Unknown', message: told })
    expect(await warnings()).toEqual([`${told} (for ConfigMap shop/a and 1 more)`])
    await configure({ [key]: 'return { status = "Healthy" }' })
    await lab.until(async () => (await healthOf('web')) === 'Healthy')
    expect(await warnings()).toEqual([])
  })

  test('that does not end holds nothing else up', async () => {
    lab = await startLab({
      files: {
        'web/a.yaml': configMap('a', '1'),
        'other/b.yaml': manifest({ apiVersion: 'v1', kind: 'Secret', metadata: { name: 's' } }),
      },
    })
    await configure({ [key]: 'while true do end' })
    await lab.create(application('web', lab.repo, { automated: auto }))
    await lab.create(application('other', lab.repo, { automated: auto }))
    await lab.settled('other')
    await lab.until(async () => (await healthOf('web')) === 'Unknown')
    expect((await warnings())[0]).toContain('health.lua:1: takes more than 20 million steps')
  })

  test('that asks what time it is is asked again', async () => {
    lab = await startLab({ files: { 'web/a.yaml': configMap('a', '1') } })
    const ends = Math.floor(lab.world.clock.now() / 1000) + 600
    await configure({
      [key]: `if require("os").time() < ${ends} then return { status = "Progressing" } end return { status = "Healthy" }`,
    })
    await lab.create(application('web', lab.repo, { automated: auto }))
    await lab.until(async () => (await healthOf('web')) === 'Progressing')
    await lab.until(async () => (await healthOf('web')) === 'Healthy', 900_000)
    expect(lab.world.clock.now() / 1000).toBeLessThan(ends + 61)
  })

  test('that cannot be read is told, and the others are used', async () => {
    lab = await startLab({ files: { 'web/a.yaml': configMap('a', '1') } })
    await configure({ [key]: byAnnotation, 'resource.customizations': 'example.io/*: {' })
    await lab.create(application('web', lab.repo, { automated: auto }))
    await lab.until(async () => (await healthOf('web')) === 'Progressing')
    expect(await warnings()).toEqual([expect.stringContaining('argocd-cm resource.customizations: is no YAML')])
  })
})

describe('health expressions in argocd-cm', () => {
  test('are the health of a custom resource', async () => {
    const widget = manifest({
      apiVersion: 'example.com/v1',
      kind: 'Widget',
      metadata: { name: 'w' },
      spec: { size: 3 },
    })
    lab = await startLab({ files: { 'web/crd.yaml': manifest(definitionOf(Widget)), 'web/w.yaml': widget } })
    await configure({
      'resource.customizations': `
"*.com/Widget":
  healthExpressions: |
    - status: failed
      when: status.phase == 'Broken'
      message: "'it is ' + status.phase"
    - status: current
      when: status.size == spec.size
`,
    })
    await lab.create(application('web', lab.repo, { automated: auto }))
    await lab.until(async () => (await resource('w'))?.status === 'Progressing')
    const say = (status: object) =>
      lab.client.patch(Widget, shop('w'), { status }, { type: 'application/merge-patch+json' })
    await say({ phase: 'Broken' })
    await lab.until(async () => (await resource('w'))?.status === 'Degraded')
    expect(await resource('w')).toEqual({ status: 'Degraded', message: 'it is Broken' })
    await say({ phase: 'Done', size: 3 })
    await lab.until(async () => (await healthOf('web')) === 'Healthy')
    expect(await warnings()).toEqual([])
  })
})
