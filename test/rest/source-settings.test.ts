// Which plug-ins there are, and what can be set of a source: what Argo CD's page asks while an application is written.

import { rmSync } from 'node:fs'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createRepository, type TestRepository } from '../gitops/git-repository.ts'
import { plugin, sh } from '../support/plugins.ts'
import { openRest, type RestServer } from './rest-server.ts'

let server: RestServer
let repository: TestRepository

beforeAll(async () => {
  repository = createRepository()
  repository.commit({
    'plain/map.yaml': '{apiVersion: v1, kind: ConfigMap, metadata: {name: map}}',
    'tool/marker': 'x',
    'chart/Chart.yaml': 'apiVersion: v2\nname: web\nversion: 1.0.0\n',
    'chart/values.yaml': 'image: {tag: v1}\nports: [80, 443]\nempty:\n',
    'chart/values-prod.yaml': 'image: {tag: v2}\n',
    'chart/templates/x.yaml': '',
  })
  const announced = JSON.stringify([{ name: 'files', collectionType: 'array', array: ['a'] }])
  server = await openRest({
    repository: repository.path,
    plugins: [
      plugin('tool', {
        version: 'v1',
        generate: sh('true'),
        discover: { fileName: 'marker' },
        parameters: { static: [{ name: 'env', string: 'dev' }], dynamic: sh(`echo '${announced}'`) },
      }),
      plugin('odd', { generate: sh('true'), parameters: { dynamic: sh('echo hello') } }),
    ],
  })
})
afterAll(async () => {
  await server.close()
  rmSync(repository.path, { recursive: true })
})

const ask = (source: object, more: object = {}, token?: string | null) =>
  server.ask(
    `POST /api/v1/repositories/${encodeURIComponent(repository.path)}/appdetails`,
    { source: { repoURL: repository.path, ...source }, appName: 'new', appProject: 'default', ...more },
    token,
  )

describe('plug-ins', () => {
  it('are told by name, in the settings and on their own', async () => {
    const names = [{ name: 'tool-v1' }, { name: 'odd' }]
    expect((await server.ask('GET /api/v1/settings')).body).toMatchObject({ plugins: names })
    expect((await server.ask('GET /api/v1/settings/plugins')).body).toEqual({ plugins: names })
  })
})

describe('what can be set of a source', () => {
  it('of a plug-in: what it announces, for all sources and for this one', async () => {
    expect((await ask({ path: 'tool' })).body).toEqual({
      type: 'Plugin',
      plugin: {
        parametersAnnouncement: [
          { name: 'files', collectionType: 'array', array: ['a'] },
          { name: 'env', string: 'dev' },
        ],
      },
    })
  })

  it('of a chart: its values files and values, with those of the source over them', async () => {
    expect((await ask({ path: 'chart', helm: { valueFiles: ['values-prod.yaml'] } })).body).toEqual({
      type: 'Helm',
      helm: {
        valueFiles: ['values-prod.yaml', 'values.yaml'],
        values: 'image: {tag: v1}\nports: [80, 443]\nempty:\n',
        parameters: [
          { name: 'image.tag', value: 'v2' },
          { name: 'ports[0]', value: '80' },
          { name: 'ports[1]', value: '443' },
          { name: 'empty', value: '' },
        ],
      },
    })
  })

  it('of plain manifests: nothing', async () => {
    expect((await ask({ path: 'plain' })).body).toEqual({ type: 'Directory' })
  })

  it.each([
    [
      { path: 'plain', plugin: { name: 'odd' } },
      400,
      /plug-in odd: spec\.parameters\.dynamic: what it prints is no JSON/,
    ],
    [{ path: 'plain', plugin: { name: 'none' } }, 400, /there is no plug-in "none"/],
    [{ path: 'nowhere' }, 400, /nowhere: app path does not exist/],
    [{ path: 'plain', plugin: { env: 'x' } }, 400, /spec\.source\.plugin\.env/],
  ])('of what is none the reason is told: %j', async (source, status, message) => {
    const answer = await ask(source)
    expect(answer).toMatchObject({ status, body: { message: expect.stringMatching(message) } })
  })

  it('is for those who may have such an application, and of an application only what it has', async () => {
    expect((await ask({ path: 'plain' }, {}, null)).status).toBe(401)
    const spec = {
      project: 'default',
      source: { repoURL: repository.path, path: 'plain' },
      destination: { server: 'https://kubernetes.default.svc', namespace: 'shop' },
    }
    await server.ask('POST /api/v1/applications', { metadata: { name: 'shop' }, spec })
    expect((await ask({ path: 'plain' }, { appName: 'shop' })).body).toEqual({ type: 'Directory' })
    expect((await ask({ path: 'tool' }, { appName: 'shop' })).status).toBe(403)
    expect((await ask({ path: 'plain' }, { appName: 'shop', appProject: 'other' })).status).toBe(403)
    expect((await ask({ path: 'plain' }, { appProject: 'other' })).status).toBe(404)
  })
})
