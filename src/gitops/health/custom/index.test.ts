import { describe, expect, test } from 'vitest'
import type { AnyObject } from '#objects'
import { selectorOf } from './condition-selector.ts'
import { customRule, ruleNames } from './index.ts'

const object = (apiVersion: string, kind: string, status?: unknown) =>
  ({ apiVersion, kind, metadata: { name: 'x' }, status }) as unknown as AnyObject

const judge = (group: string, kind: string, status?: unknown) =>
  customRule(group, kind)?.(object(`${group}/v1`, kind, status))

describe('the rule of a kind', () => {
  test('is that of exactly this kind, of its group, or of a group above it', () => {
    const ready = { conditions: [{ type: 'Ready', status: 'True', message: 'done' }] }
    expect(judge('cert-manager.io', 'Certificate', ready)?.message).toBe('done')
    expect(judge('eks.services.k8s.aws', 'Anything', ready)).toMatchObject({ status: 'Healthy' })
    expect(judge('sql.gcp.upbound.io', 'Anything', ready)?.message).toBe('Resource is up-to-date.')
    expect(judge('s3.aws.crossplane.io', 'Bucket')?.message).toBe('Waiting for Bucket to be created')
    expect(judge('s3.aws.crossplane.io', 'BucketPolicy')?.message).toBe('Resource is up-to-date.')
  })

  test('is none for kinds nobody knows, and for the group itself above its subgroups', () => {
    expect(customRule('example.com', 'Widget')).toBeUndefined()
    expect(customRule('upbound.io', 'Widget')).toBeUndefined()
    expect(customRule('cert-manager.io', 'Order')).toBeUndefined()
  })

  test('stands in one table only', () => {
    expect(ruleNames.filter((name, index) => ruleNames.indexOf(name) !== index)).toEqual([])
  })

  test.each(ruleNames.filter((name) => !name.includes('_')))('%s bears objects of any shape', (name) => {
    const [group = '', kind = ''] = name.split('/')
    for (const status of [
      undefined,
      null,
      {},
      { conditions: null },
      { conditions: {} },
      { conditions: [{}, null] },
      'x',
    ])
      expect(judge(group, kind, status)).toMatchObject({
        status: expect.stringMatching(/^(Healthy|Suspended|Progressing|Missing|Degraded|Unknown)$/),
        proof: { field: expect.stringMatching(/\S/), rule: expect.stringMatching(/\S/) },
      })
  })
})

test('a selector that cannot be read is an error', () => {
  expect(() => selectorOf('Ready=')).toThrow('"Ready=" is not a selector of conditions')
})
