import { describe, expect, test } from 'vitest'
import type { KustomizeSource } from '#kinds'
import type { JsonObject } from '#objects'
import { parseBuildOptions } from './build-options.ts'
import { hasOverrides, OverrideFault, parseImage, withOverrides } from './overrides.ts'

const write = (kustomization: JsonObject, overrides: KustomizeSource, components: readonly string[] = []) =>
  withOverrides(kustomization, { overrides, environment: { ARGOCD_APP_NAME: 'shop' }, components })

describe('overrides are written as kustomize edit does', () => {
  test.each([
    ['web:2', { name: 'web', newTag: '2' }],
    ['registry:5000/web:2', { name: 'registry:5000/web', newTag: '2' }],
    ['web@sha256:ab', { name: 'web', digest: 'sha256:ab' }],
    ['web=other/web', { name: 'web', newName: 'other/web' }],
    ['web=other/web:3', { name: 'web', newName: 'other/web', newTag: '3' }],
    ['web=*:3', { name: 'web', newTag: '3' }],
    ['web=other@sha256:ab', { name: 'web', newName: 'other', digest: 'sha256:ab' }],
  ])('image %s', (text, expected) => {
    expect(parseImage(text)).toEqual(expected)
  })

  test('an image that says nothing is refused', () => {
    expect(() => parseImage('web')).toThrow(OverrideFault)
  })

  test('images are merged by name and sorted; a tag replaces a digest', () => {
    const before = {
      images: [
        { name: 'web', newName: 'r/web', digest: 'sha256:old' },
        { name: 'db', newTag: '1' },
      ],
    }
    expect(write(before, { images: ['web:2', 'api:1'] })['images']).toEqual([
      { name: 'api', newTag: '1' },
      { name: 'db', newTag: '1' },
      { name: 'web', newName: 'r/web', newTag: '2' },
    ])
  })

  test('labels that are there are only replaced when forced', () => {
    const before = { commonLabels: { team: 'a' } }
    expect(() => write(before, { commonLabels: { team: 'b' } })).toThrow(/forceCommonLabels/)
    expect(write(before, { commonLabels: { team: 'b' }, forceCommonLabels: true })['commonLabels']).toEqual({
      team: 'b',
    })
    expect(write({}, { commonLabels: { a: 'b' }, labelWithoutSelector: true, labelIncludeTemplates: true })).toEqual({
      labels: [{ pairs: { a: 'b' }, includeTemplates: true }],
    })
  })

  test('names, namespace, replicas, patches, components and annotations', () => {
    const written = write(
      { resources: ['a.yaml'], components: ['one'], replicas: [{ name: 'web', count: 1 }] },
      {
        namePrefix: 'p-',
        nameSuffix: '-s',
        namespace: 'n',
        replicas: [{ name: 'web', count: '3' }],
        patches: [{ patch: '[]', target: { kind: 'Deployment' } }],
        commonAnnotations: { app: '$ARGOCD_APP_NAME' },
        commonAnnotationsEnvsubst: true,
        commonLabels: { of: 'app-$ARGOCD_APP_NAME' },
      },
      ['one', 'two'],
    )
    expect(written).toEqual({
      resources: ['a.yaml'],
      components: ['one', 'two'],
      replicas: [{ name: 'web', count: 3 }],
      namePrefix: 'p-',
      nameSuffix: '-s',
      namespace: 'n',
      patches: [{ patch: '[]', target: { kind: 'Deployment' } }],
      commonAnnotations: { app: 'shop' },
      commonLabels: { of: 'app-shop' },
    })
    expect(() => write({}, { replicas: [{ name: 'web', count: 'many' }] })).toThrow(OverrideFault)
  })

  test('nothing said is no override', () => {
    expect(hasOverrides({ namePrefix: '', version: 'v5', forceCommonLabels: false })).toBe(false)
    expect(hasOverrides({ images: ['a:1'] })).toBe(true)
  })
})

test('build options: what reads files is taken, what runs programs is not', () => {
  expect(parseBuildOptions('--enable-helm --load-restrictor LoadRestrictionsNone')).toEqual({
    arguments: ['--load-restrictor=LoadRestrictionsNone'],
    enableHelm: true,
    refused: [],
  })
  expect(parseBuildOptions('--enable-alpha-plugins --enable-exec --helm-command=/bin/sh').refused).toEqual([
    '--enable-alpha-plugins',
    '--enable-exec',
    '--helm-command=/bin/sh',
  ])
})
