// Generators and templates as tables; generators that read git are in test/gitops.

import { describe, expect, test } from 'vitest'
import type { ApplicationSet, Generator } from '#kinds'
import type { JsonObject } from '#objects'
import { applicationsOf } from './applications.ts'
import { concernsSet } from './concerned.ts'
import { GeneratorFault } from './generators/fault.ts'
import type { GeneratorContext } from './generators/generator.ts'
import { generate } from './generators/index.ts'

const context = (goTemplate = false): GeneratorContext => ({
  style: { goTemplate, missingKeyIsFault: true },
  repository: () => {
    throw new Error('no repository')
  },
  setName: 'set',
  aws: undefined,
  web: () => {
    throw new Error('no web')
  },
  remembered: () => {
    throw new Error('nothing to ask')
  },
  clusters: [
    { name: 'Prod_1', server: 'https://1', project: '', labels: { env: 'prod' }, annotations: {}, implied: false },
    {
      name: 'in-cluster',
      server: 'https://kubernetes.default.svc',
      project: '',
      labels: {},
      annotations: {},
      implied: true,
    },
  ],
})
const params = (generator: Generator, goTemplate = false) => generate(generator, context(goTemplate))
const elements = (...all: readonly JsonObject[]): Generator => ({ list: { elements: all } })

describe('generators', () => {
  test('list: texts only, unless templates are Go’s', async () => {
    expect(await params(elements({ a: '1', values: { b: '2' } }))).toEqual([{ a: '1', 'values.b': '2' }])
    await expect(params(elements({ a: 1 }))).rejects.toThrow(/error parsing value as string: a is 1/)
    expect(await params(elements({ a: 1, b: { c: 2 } }), true)).toEqual([{ a: 1, b: { c: 2 } }])
    expect(await params({ list: { elementsYaml: '- a: x\n' } })).toEqual([{ a: 'x' }])
  })

  test('clusters: all, or those that a selector sees', async () => {
    expect((await params({ clusters: {} })).map((each) => each['nameNormalized'])).toEqual(['prod-1', 'in-cluster'])
    const selector = { matchLabels: { env: 'prod' } }
    expect(await params({ clusters: { selector, values: { of: '{{name}}' } } })).toEqual([
      {
        name: 'Prod_1',
        nameNormalized: 'prod-1',
        server: 'https://1',
        project: '',
        'metadata.labels.env': 'prod',
        'values.of': 'Prod_1',
      },
    ])
  })

  test('matrix: the second generator may use the first; values must not contradict', async () => {
    const second: Generator = { list: { elements: [{ url: '{{a}}.example' }] } }
    expect(await params({ matrix: { generators: [elements({ a: 'x' }, { a: 'y' }), second] } })).toEqual([
      { a: 'x', url: 'x.example' },
      { a: 'y', url: 'y.example' },
    ])
    const clash: Generator = { matrix: { generators: [elements({ a: 'x' }), elements({ a: 'z' })] } }
    await expect(params(clash)).rejects.toThrow(/duplicate key a with different value/)
    await expect(params({ matrix: { generators: [second] } })).rejects.toThrow(/exactly two/)
  })

  test('merge: others go over the first where the keys are the same', async () => {
    const base = elements({ name: 'a', size: '1' }, { name: 'b', size: '1' })
    const over = elements({ name: 'b', size: '2' }, { name: 'c', size: '3' })
    expect(await params({ merge: { mergeKeys: ['name'], generators: [base, over] } })).toEqual([
      { name: 'a', size: '1' },
      { name: 'b', size: '2' },
    ])
    const twice = elements({ name: 'a' }, { name: 'a' })
    await expect(params({ merge: { mergeKeys: ['name'], generators: [twice, over] } })).rejects.toThrow(/unique/)
  })

  test('a selector filters what came of a generator', async () => {
    const selector = { matchExpressions: [{ key: 'a', operator: 'In', values: ['y'] }] } as const
    expect(await params({ ...elements({ a: 'x' }, { a: 'y' }), selector })).toEqual([{ a: 'y' }])
  })

  test('what is no generator is told', async () => {
    await expect(params({ clusterDecisionResource: {} })).rejects.toThrow(/clusterDecisionResource is not supported/)
    await expect(params({})).rejects.toThrow(GeneratorFault)
    await expect(params({ list: {}, clusters: {} })).rejects.toThrow(/exactly one of/)
  })
})

describe('a message of a git server concerns', () => {
  const concerned = (generator: object, type: 'push' | 'pullRequest', ...names: readonly string[]) =>
    concernsSet({ spec: { generators: [generator] } } as unknown as ApplicationSet, { type, names })
  const github = { pullRequest: { github: { owner: 'Org', repo: 'App' } } }
  test.each<[boolean, object, 'push' | 'pullRequest', string]>([
    [true, github, 'pullRequest', 'org/app'],
    [false, github, 'pullRequest', 'org/apple'],
    [false, github, 'push', 'org/app'],
    [true, { matrix: { generators: [github, { list: {} }] } }, 'pullRequest', 'org/app'],
    [true, { pullRequest: { gitlab: { project: '12' } } }, 'pullRequest', '12'],
    [true, { pullRequest: { azuredevops: { organization: 'o', project: 'p', repo: 'r' } } }, 'pullRequest', 'p/r'],
    [true, { scmProvider: { github: { organization: 'org' } } }, 'push', 'org/new'],
    [false, { scmProvider: { github: { organization: 'org' } } }, 'push', 'other/org'],
    [true, { scmProvider: { bitbucketServer: { project: 'PROJ' } } }, 'push', 'scm/proj/app'],
    [true, { plugin: { configMapRef: { name: 'p' } } }, 'push', 'any/repo'],
    [false, { list: {} }, 'push', 'any/repo'],
  ])('%s: %j by a %s of %s', (expected, generator, type, name) => {
    expect(concerned(generator, type, name)).toBe(expected)
  })
})

describe('templates', () => {
  const set = (spec: object): ApplicationSet =>
    ({
      apiVersion: 'argoproj.io/v1alpha1',
      kind: 'ApplicationSet',
      metadata: { name: 'set', namespace: 'argocd', uid: 'u' },
      spec: { generators: [], template: { metadata: { name: '{{name}}' }, spec: { project: 'default' } }, ...spec },
    }) as unknown as ApplicationSet
  const made = (spec: object, all: readonly JsonObject[], generator: Generator = { list: {} }) =>
    applicationsOf(set(spec), [{ generator, params: all }])

  test('names are replaced, what names nothing stays; the finalizer is added', () => {
    const template = { metadata: { name: '{{ name }}-{{ nope }}', labels: { '{{name}}': 'x' } }, spec: {} }
    expect(made({ template }, [{ name: 'web' }])[0]?.metadata).toEqual({
      name: 'web-{{ nope }}',
      namespace: 'argocd',
      labels: { web: 'x' },
      finalizers: ['resources-finalizer.argocd.argoproj.io'],
    })
    const keeping = { syncPolicy: { preserveResourcesOnDeletion: true } }
    expect(made(keeping, [{ name: 'web' }])[0]?.metadata.finalizers).toBeUndefined()
  })

  test('Go templates, the template of a generator, and templatePatch', () => {
    const spec = {
      goTemplate: true,
      goTemplateOptions: ['missingkey=error'],
      template: {
        metadata: { name: '{{.name}}' },
        spec: { project: 'default', source: { repoURL: 'r', path: '{{.path}}' } },
      },
      templatePatch: '{{- if .prune }}\nspec:\n  syncPolicy:\n    automated: {prune: {{ .prune }}}\n{{- end }}\n',
    }
    const generator: Generator = { list: { template: { spec: { source: { repoURL: 'other' } } } } }
    const [first, second] = made(
      spec,
      [
        { name: 'a', path: 'p', prune: true },
        { name: 'b', path: 'q', prune: false },
      ],
      generator,
    )
    expect(first?.spec).toEqual({
      project: 'default',
      source: { repoURL: 'other', path: 'p' },
      syncPolicy: { automated: { prune: true } },
    })
    expect(second?.spec).not.toHaveProperty('syncPolicy')
    expect(() => made(spec, [{ name: 'a' }])).toThrow('map has no entry for key "path"')
    expect(() => made({ ...spec, templatePatch: 'spec: {project: other}' }, [{ name: 'a', path: 'p' }])).toThrow(
      /spec\.project/,
    )
  })
})
