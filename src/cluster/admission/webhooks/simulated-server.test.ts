import { describe, expect, it } from 'vitest'
import type { ProfileWebhook } from '#kinds'
import { answerOf } from './simulated-server.ts'

const pod = {
  metadata: { labels: { app: 'web' } },
  spec: { containers: [{ name: 'app', env: [{ name: 'A', value: '1' }] }, { name: 'other' }] },
}

const responseTo = (server: ProfileWebhook, object: object | null = pod, kind = 'Pod') =>
  (
    JSON.parse(answerOf(server, JSON.stringify({ request: { uid: 'u', kind: { kind }, object } }))) as {
      response: { uid: string; allowed: boolean; patch?: string; status?: object; warnings?: string[] }
    }
  ).response

const patchOf = (server: ProfileWebhook, object?: object | null, kind?: string): unknown => {
  const { patch } = responseTo(server, object, kind)
  return patch === undefined ? undefined : JSON.parse(Buffer.from(patch, 'base64').toString('utf8'))
}

describe('simulated webhook servers', () => {
  it('let pass, warn and deny', () => {
    expect(responseTo({ warnings: ['old'] })).toEqual({ uid: 'u', allowed: true, warnings: ['old'] })
    expect(responseTo({ deny: { message: 'no' } })).toEqual({
      uid: 'u',
      allowed: false,
      status: { code: 403, reason: 'Forbidden', message: 'no' },
    })
  })

  it('add labels, annotations, variables and a sidecar', () => {
    const sidecar = { name: 'proxy', image: 'envoy' }
    expect(
      patchOf({
        mutate: {
          labels: { 'a/b': '1', app: 'web' },
          annotations: { x: 'y' },
          env: [{ name: 'A' }, { name: 'B' }],
          sidecar,
        },
      }),
    ).toEqual([
      { op: 'add', path: '/metadata/labels/a~1b', value: '1' },
      { op: 'add', path: '/metadata/annotations', value: {} },
      { op: 'add', path: '/metadata/annotations/x', value: 'y' },
      { op: 'add', path: '/spec/containers/0/env/-', value: { name: 'B' } },
      { op: 'add', path: '/spec/containers/1/env', value: [{ name: 'A' }, { name: 'B' }] },
      { op: 'add', path: '/spec/containers/-', value: sidecar },
    ])
  })

  it('change nothing twice, nothing of what is deleted, and containers of pods only', () => {
    const sidecar = { name: 'app', image: 'envoy' }
    expect(patchOf({ mutate: { labels: { app: 'web' }, sidecar } })).toBeUndefined()
    expect(patchOf({ mutate: { labels: { app: 'web' } } }, null)).toBeUndefined()
    expect(patchOf({ mutate: { env: [{ name: 'B' }] } }, pod, 'ConfigMap')).toBeUndefined()
  })
})
