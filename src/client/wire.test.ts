import { describe, expect, it } from 'vitest'
import type { ApiRequest } from '#api'
import { ConfigMap, Deployment } from '#kinds'
import { wireRequest } from './wire-request.ts'
import { decodeBody, warningsOf } from './wire-response.ts'

const caller = { user: 'u', groups: [], userAgent: 'test/1' }
const request = (parts: Partial<ApiRequest>): ApiRequest => ({ verb: 'get', caller, ...parts })

describe('requests on the wire', () => {
  it.each<[string, Partial<ApiRequest>, string]>([
    [
      'a core object',
      { resource: ConfigMap, namespace: 'shop', name: 'c' },
      'GET /api/v1/namespaces/shop/configmaps/c',
    ],
    [
      'a status',
      { verb: 'update', resource: Deployment, namespace: 'a', name: 'd', subresource: 'status' },
      'PUT /apis/apps/v1/namespaces/a/deployments/d/status',
    ],
    [
      'all namespaces',
      { verb: 'list', resource: Deployment, query: { labelSelector: 'a=b,c' } },
      'GET /apis/apps/v1/deployments?labelSelector=a%3Db%2Cc',
    ],
    [
      'a watch',
      { verb: 'watch', resource: ConfigMap, query: { resourceVersion: '5' } },
      'GET /api/v1/configmaps?resourceVersion=5&watch=true',
    ],
    ['a path', { path: '/version' }, 'GET /version'],
  ])('%s', (_name, parts, expected) => {
    const { method, target } = wireRequest(request(parts))
    expect(`${method} ${target}`).toBe(expected)
  })

  it('carries patches with their type and asks for tables', () => {
    const wire = wireRequest(
      request({
        verb: 'patch',
        resource: ConfigMap,
        name: 'c',
        body: { type: 'object', object: { data: { a: 'é' } }, contentType: 'application/merge-patch+json' },
        accept: { as: 'table', managedFields: false },
      }),
    )
    expect(wire.headers).toMatchObject({
      'content-type': 'application/merge-patch+json',
      'content-length': '19',
      accept: 'application/json;as=Table;v=v1;g=meta.k8s.io,application/json',
    })
  })
})

describe('answers off the wire', () => {
  it('take the form of the contract: listed objects know their kind, managedFields only for those who ask', () => {
    const text = JSON.stringify({
      kind: 'ConfigMapList',
      apiVersion: 'v1',
      metadata: { resourceVersion: '7' },
      items: [{ metadata: { name: 'c', managedFields: [{}] } }],
    })
    const listed = (managedFields: boolean): unknown =>
      decodeBody(text, 'application/json', request({ accept: { as: 'object', managedFields } }))
    expect(listed(false)).toMatchObject({
      object: { items: [{ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'c' } }] },
    })
    expect(JSON.stringify(listed(false))).not.toContain('managedFields')
    expect(JSON.stringify(listed(true))).toContain('managedFields')
    expect(decodeBody('plain', 'text/plain', request({}))).toEqual({
      type: 'text',
      contentType: 'text/plain',
      text: 'plain',
    })
  })

  it('give their warnings', () => {
    expect(warningsOf('299 - "v1 ComponentStatus is deprecated", 299 - "say \\"hi\\""')).toEqual([
      'v1 ComponentStatus is deprecated',
      'say "hi"',
    ])
    expect(warningsOf(undefined)).toEqual([])
  })
})
