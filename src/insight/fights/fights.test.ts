import { describe, expect, it } from 'vitest'
import type { AnyObject } from '#objects'
import { changesBetween } from './changes.ts'
import { decideFight, describeFight } from './decide.ts'

const web = (replicas: number, image: string, owners: readonly object[] = []): AnyObject =>
  ({
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: { name: 'web', namespace: 'shop', managedFields: owners },
    spec: { replicas, template: { spec: { containers: [{ name: 'app', image }] } } },
    status: { replicas },
  }) as unknown as AnyObject

const owner = (manager: string, time: string, fields: object): object => ({
  manager,
  time,
  fieldsV1: { 'f:spec': fields },
})
const containers = { 'f:template': { 'f:spec': { 'f:containers': { 'k:{"name":"app"}': { 'f:image': {} } } } } }

describe('changesBetween', () => {
  it('names the fields that changed and who owns them now', () => {
    const owners = [
      owner('kubectl', '2026-01-01T00:00:00Z', { 'f:replicas': {} }),
      owner('argocd-controller', '2026-01-01T00:00:09Z', { 'f:replicas': {}, ...containers }),
    ]
    expect(changesBetween(web(3, 'nginx:1'), web(1, 'nginx:2', owners))).toEqual([
      { field: 'spec.replicas', manager: 'argocd-controller', value: '1' },
      { field: 'spec.template.spec.containers[app].image', manager: 'argocd-controller', value: '"nginx:2"' },
    ])
  })

  it('says nothing of equal objects, nor of fields that nobody owns', () => {
    expect(changesBetween(web(3, 'a'), web(3, 'a'))).toEqual([])
    expect(changesBetween(web(3, 'a'), web(4, 'a'))).toEqual([])
  })
})

describe('decideFight', () => {
  const where = { object: 'Deployment shop/web', field: 'spec.replicas' }
  const turns = (...managers: readonly string[]) =>
    managers.map((manager, i) => ({ at: i * 30_000, manager, value: manager === 'a' ? '3' : '1' }))

  it('sees managers that take turns, with their rate', () => {
    const fight = decideFight(where, turns('a', 'b', 'a', 'b'), 120_000)
    expect(fight?.perMinute).toBe(2)
    expect(fight === undefined ? '' : describeFight(fight)).toBe(
      'Deployment shop/web spec.replicas: a (writes 3) and b (writes 1) overwrite each other, 2 changes a minute',
    )
  })

  it('leaves one busy manager, a single take-over and old quarrels alone', () => {
    expect(decideFight(where, turns('a', 'a', 'a', 'a', 'a'), 150_000)).toBeUndefined()
    expect(decideFight(where, turns('a', 'a', 'b', 'b', 'b'), 150_000)).toBeUndefined()
    expect(decideFight(where, turns('a', 'b', 'a', 'b'), 900_000)).toBeUndefined()
  })
})
