// Argo CD's directories that take kustomize, helm or libraries of Jsonnet: the same objects, or an error that says more.

import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, describe, expect, test } from 'vitest'
import type { ApplicationSource } from '#kinds'
import { problemTexts } from './rendering.ts'
import { hasTools, removeRepositories, setup } from './tool-rendering.ts'

const folder = new URL('../../../shared/vectors/rendering/', import.meta.url).pathname
const present = existsSync(folder)

afterAll(removeRepositories)

/** The files of a vector, by their path below the folder of all. */
function filesOf(vector: string): Readonly<Record<string, string>> {
  const paths = readdirSync(join(folder, vector), { recursive: true, encoding: 'utf8' }).map((each) =>
    join(vector, each),
  )
  const files = paths.filter((path) => statSync(join(folder, path)).isFile())
  return Object.fromEntries(files.map((path) => [path, readFileSync(join(folder, path), 'utf8')]))
}

async function rendered(path: string, app = 'app', source: Omit<ApplicationSource, 'repoURL'> = {}) {
  const { render } = await setup(filesOf(path))
  const found = await render(
    { path, ...source },
    {
      environment: {
        app: { name: app, project: 'default', namespace: 'web' },
        capabilities: { kubeVersion: '1.34.0', apiVersions: ['apps/v1'] },
      },
    },
  )
  const images = [...JSON.stringify(found.objects.map(({ object }) => object)).matchAll(/"image":"([^"]*)"/g)]
  return {
    problems: problemTexts(found, path),
    objects: found.objects.map(({ object }) => `${object.kind} ${object.metadata.name}`),
    images: images.map(([, image]) => image),
  }
}

const image = (tag: string) => [`quay.io/argoprojlabs/argocd-e2e-container:${tag}`]
const about = present ? 'present' : 'skipped: ../shared/vectors is not there'

describe.skipIf(!present)(`Jsonnet of Argo CD's tests (${about})`, () => {
  const variables = {
    extVars: [
      { name: 'extVarString', value: 'extVarString' },
      { name: 'extVarCode', value: '"extVarCode"', code: true },
    ],
    tlas: [
      { name: 'tlaString', value: 'tlaString' },
      { name: 'tlaCode', value: '"tlaCode"', code: true },
    ],
  }

  test('a library folder is named from the root; what is null is left out', async () => {
    const directory = { jsonnet: { ...variables, libs: ['jsonnet/vendor'] } }
    const { problems, objects } = await rendered('jsonnet', 'app', { directory })
    expect(problems).toEqual([])
    expect(objects).toEqual(['Service guestbook-ui', 'Deployment guestbook-ui'])
  })

  test('a library folder outside of the repository is refused', async () => {
    const directory = { jsonnet: { ...variables, libs: ['../../../jsonnet/vendor'] } }
    expect((await rendered('jsonnet', 'app', { directory })).problems.join()).toContain('../../../jsonnet/vendor')
  })
})

describe.skipIf(!present || !hasTools)(`charts and kustomizations of Argo CD's tests (${about})`, () => {
  test.each([
    ['single-global', 'app', '0.2'],
    ['single-global-helm', 'app', '0.2'],
    ['single-app-only', 'testapp', '0.3'],
    ['single-app-only', 'testapp2', '0.1'],
    ['multi', 'testapp', '0.3'],
    ['multi', 'other', '0.2'],
    // Fields that nobody knows are no fault of it.
    ['multi', 'unmergeable', '0.3'],
  ])('.argocd-source of %s, for %s', async (name, app, tag) => {
    const { problems, images } = await rendered(`app-parameters/${name}`, app)
    expect([problems, images]).toEqual([[], image(tag)])
  })

  test('.argocd-source-broken.yaml is told by name', async () => {
    const { problems, objects } = await rendered('app-parameters/multi', 'broken')
    expect(objects).toEqual([])
    expect(problems.join()).toContain('.argocd-source-broken.yaml')
  })

  test('a schema that cannot be had fails the chart, unless it is not to be asked', async () => {
    const name = 'broken-schema-verification'
    expect((await rendered(name)).problems.join()).toContain('schema')
    const { problems, objects } = await rendered(name, 'app', { helm: { skipSchemaValidation: true } })
    expect([problems, objects]).toEqual([[], ['ConfigMap test-configmap']])
  })

  test.each([
    ['invalid-helm', 'Chart.yaml'],
    ['invalid-kustomize', 'Kustomization'],
    ['helm-with-dependencies-alias', 'alias:custom-repo-alias'],
    ['oci-dependencies', 'oci://example.com/myrepo'],
  ])('%s is told: %s', async (name, word) => {
    const { problems, objects } = await rendered(name)
    expect(objects).toEqual([])
    expect(problems.join()).toContain(word)
  })

  test.each([
    ['my-chart', ['my-chart-values.yaml'], ['ConfigMap my-map']],
    ['values-files', ['values.yaml', 'dir/values.yaml', 'caps-extn-values.YAML', '/values-files/**/values.yaml'], []],
    ['in-bounds-values-file-link', ['values-2.yaml'], []],
  ])('%s takes its values files', async (name, valueFiles, expected) => {
    const { problems, objects } = await rendered(name, 'app', { helm: { valueFiles } })
    expect([problems, objects]).toEqual([[], expected])
  })
})
