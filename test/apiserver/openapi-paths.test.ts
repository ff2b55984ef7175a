// What the documents of OpenAPI v3 tell of: clients look paths and schemas up by their names.

import { expect, it } from 'vitest'
import { startServer } from './server.ts'

async function namesIn(document: string): Promise<{ paths: readonly string[]; schemas: readonly string[] }> {
  const { client } = startServer()
  const { body } = await client.request({ verb: 'get', path: `/openapi/v3/${document}` })
  if (body.type !== 'text') throw new Error('no text')
  const { paths, components } = JSON.parse(body.text) as {
    readonly paths: object
    readonly components: { readonly schemas: object }
  }
  return { paths: Object.keys(paths), schemas: Object.keys(components.schemas) }
}

it('proxies lead to paths below their own', async () => {
  const { paths } = await namesIn('api/v1')
  for (const place of ['nodes', 'namespaces/{namespace}/pods', 'namespaces/{namespace}/services'])
    expect(paths).toContain(`/api/v1/${place}/{name}/proxy/{path}`)
  expect(paths).not.toContain('/api/v1/namespaces/{namespace}/pods/{name}/log/{path}')
})

it('groups of reviews know nothing that would be kept, changed or watched', async () => {
  const meta = 'io.k8s.apimachinery.pkg.apis.meta.v1'
  for (const group of ['authentication.k8s.io', 'authorization.k8s.io']) {
    const { schemas } = await namesIn(`apis/${group}/v1`)
    expect(schemas).toContain(`${meta}.APIResourceList`)
    for (const kind of ['DeleteOptions', 'Patch', 'Status', 'WatchEvent'])
      expect(schemas).not.toContain(`${meta}.${kind}`)
  }
  expect((await namesIn('apis/apps/v1')).schemas).toContain(`${meta}.WatchEvent`)
})

it('the version has a schema', async () => {
  expect((await namesIn('version')).schemas).toEqual(['io.k8s.apimachinery.pkg.version.Info'])
})
