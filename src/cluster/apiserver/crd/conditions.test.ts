import { describe, expect, it } from 'vitest'
import type { AnyObject } from '#objects'
import { decideStatus } from './conditions.ts'

const definition = (plural: string, kind: string, status: object = {}): AnyObject => ({
  apiVersion: 'apiextensions.k8s.io/v1',
  kind: 'CustomResourceDefinition',
  metadata: { name: `${plural}.example.com` },
  spec: { group: 'example.com', scope: 'Namespaced', names: { plural, kind, listKind: `${kind}List` }, versions: [] },
  status,
})

const now = '2026-01-01T00:00:00Z'

describe('decideStatus', () => {
  it('accepts names that are free, and is content with that', () => {
    const status = decideStatus(definition('widgets', 'Widget'), [], now)
    expect(status.acceptedNames).toEqual({ plural: 'widgets', kind: 'Widget', listKind: 'WidgetList' })
    expect(status.conditions).toMatchObject([
      { type: 'NamesAccepted', status: 'True' },
      { type: 'Established', status: 'True', reason: 'InitialNamesAccepted' },
    ])
    expect(decideStatus(definition('widgets', 'Widget', status), [], '2027-01-01T00:00:00Z')).toEqual(status)
  })

  it('refuses a kind that another definition of the group has', () => {
    const other = definition('gadgets', 'Widget', { acceptedNames: { plural: 'gadgets', kind: 'Widget' } })
    const { conditions } = decideStatus(definition('widgets', 'Widget'), [other], now)
    expect(conditions).toMatchObject([
      { type: 'NamesAccepted', status: 'False', reason: 'KindConflict', message: '"Widget" is already in use' },
      { type: 'Established', status: 'False', reason: 'NotAccepted' },
    ])
  })

  it('tells of the last of several conflicts, and of all short names', () => {
    const named = (names: object, status: object = {}): AnyObject => {
      const one = definition('widgets', 'Widget', status)
      const spec = one['spec'] as { readonly names: object }
      return { ...one, spec: { ...spec, names: { ...spec.names, ...names } } }
    }
    const other = definition('gadgets', 'Gadget', {
      acceptedNames: { plural: 'gadgets', singular: 'thing', shortNames: ['a', 'b'], kind: 'Gadget' },
    })
    const refusal = (one: AnyObject) => decideStatus(one, [other], now).conditions?.[0]
    expect(refusal(named({ singular: 'thing', shortNames: ['a', 'c', 'b'] }))).toMatchObject({
      reason: 'ShortNamesConflict',
      message: '["a" is already in use, "b" is already in use]',
    })
    expect(refusal(named({ singular: 'thing', kind: 'Gadget' }))).toMatchObject({ reason: 'KindConflict' })
    const had = { acceptedNames: { plural: 'widgets', kind: 'Widget', singular: 'thing' } }
    expect(refusal(named({ singular: 'thing' }, had))).toMatchObject({ status: 'True' })
  })

  it('establishes nothing that a webhook whom nobody trusts converts', () => {
    const one = definition('widgets', 'Widget')
    const withBundle = (caBundle: string): AnyObject => ({
      ...one,
      spec: {
        ...(one['spec'] as object),
        conversion: { strategy: 'Webhook', webhook: { clientConfig: { caBundle } } },
      },
    })
    const { conditions } = decideStatus(withBundle('Cg=='), [], now)
    expect(conditions).toMatchObject([
      { type: 'NamesAccepted', status: 'True' },
      { type: 'Established', status: 'False', reason: 'InvalidCABundle' },
    ])
    expect(decideStatus(withBundle(''), [], now).conditions?.[1]).toMatchObject({ status: 'True' })
  })

  it('tells in groups of the community whether the kind was approved', () => {
    const inGroup = (annotations: Readonly<Record<string, string>>): AnyObject => {
      const one = definition('widgets', 'Widget')
      return {
        ...one,
        metadata: { ...one.metadata, annotations },
        spec: { ...(one['spec'] as object), group: 'a.k8s.io' },
      }
    }
    const approvalOf = (text: string) =>
      decideStatus(inGroup({ 'api-approved.kubernetes.io': text }), [], now).conditions?.at(-1)
    expect(approvalOf('https://github.com/x/y')).toMatchObject({
      status: 'True',
      message: 'approved in https://github.com/x/y',
    })
    expect(approvalOf('unapproved, experimental')).toMatchObject({ status: 'False', reason: 'UnapprovedAnnotation' })
  })
})
