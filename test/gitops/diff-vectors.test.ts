// Argo CD's own examples of what git wants against what is there: by its three-way diff, and by what a server-side apply
// dry run answered.

import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import {
  compareStates,
  type IgnoreRule,
  originalOf,
  predictThreeWay,
  rulesOfAggregation,
  storedForm,
} from '#gitops/diff'
import { readManifestFile } from '#gitops/render'
import { builtInSchema } from '#kinds'
import { type AnyObject, groupOf, type ManagedFieldsEntry } from '#objects'

const folder = new URL('../../../shared/vectors/engine-diff/', import.meta.url).pathname
const present = existsSync(folder)
const manager = 'argocd-controller'

function read(file: string): AnyObject {
  const object = readManifestFile(file, readFileSync(join(folder, file))).objects[0]?.object
  if (object === undefined) throw new Error(`${file} holds no object`)
  return object
}

const schemaOf = ({ apiVersion, kind }: AnyObject) => {
  const schema = builtInSchema(groupOf(apiVersion), apiVersion.slice(apiVersion.indexOf('/') + 1), kind)
  return schema === undefined ? {} : { schema }
}

const fieldsOf = ({ metadata }: AnyObject) => (metadata.managedFields ?? []) as readonly ManagedFieldsEntry[]

function threeWay(target: AnyObject, live: AnyObject, ignore: readonly IgnoreRule[] = []) {
  const schema = schemaOf(target)
  const original = originalOf({ target, live, managedFields: fieldsOf(live), manager, ...schema })
  const predicted = storedForm(predictThreeWay({ original, target, live, ...schema }))
  return { predicted, ...compareStates({ live: storedForm(live), predicted, ignore, ...schema }) }
}

const labelled = (object: AnyObject, labels: Readonly<Record<string, string>>): AnyObject => ({
  ...object,
  metadata: { ...object.metadata, labels },
})

const paths = ({ differences }: { readonly differences: readonly { readonly path: string }[] }) =>
  differences.map(({ path }) => path)

const portsOf = (object: AnyObject) => (object['spec'] as { readonly ports: readonly object[] }).ports

describe.skipIf(!present)(
  `Argo CD's three-way diff vectors (${present ? 'present' : 'skipped: ../shared/vectors is not there'})`,
  () => {
    test.each([
      'deployment',
      'elasticsearch',
      'endpoints',
      'grafana-clusterrole',
      'mutatingwebhookconfig',
      'sealedsecret',
      'spinnaker-sa',
      'wordpress',
    ])('%s does not differ', (name) => {
      expect(threeWay(read(`${name}-config.json`), read(`${name}-live.json`)).differences).toEqual([])
    })

    test('labels of elasticsearch that are added, changed and removed', () => {
      const { release: _release, ...labels } = read('elasticsearch-config.json').metadata.labels ?? {}
      const target = labelled(read('elasticsearch-config.json'), {
        ...labels,
        foo: 'bar',
        chart: 'elasticsearch-1.7.1',
      })
      expect(paths(threeWay(target, read('elasticsearch-live.json'))).sort()).toEqual([
        'metadata.labels.chart',
        'metadata.labels.foo',
        'metadata.labels.release',
      ])
    })

    test('the rules of an aggregated role differ unless they are ignored', () => {
      const [target, live] = [read('aggr-clusterrole-config.json'), read('aggr-clusterrole-live.json')]
      expect(paths(threeWay(target, live))).toEqual(['rules'])
      expect(threeWay(target, live, rulesOfAggregation(target)).modified).toBe(false)
    })

    test('masked values of a Secret differ', () => {
      const data = (value: string) => ({ data: { 'wordpress-password': value, 'smtp-password': value } })
      const [target, live] = [read('wordpress-config.json'), read('wordpress-live.json')]
      expect(threeWay({ ...target, ...data('++++++++') }, { ...live, ...data('++++++++++++') }).modified).toBe(true)
    })
  },
)

describe.skipIf(!present)(
  `Argo CD's vectors of merges by owner (${present ? 'present' : 'skipped: ../shared/vectors is not there'})`,
  () => {
    test('a changed port', () => {
      const { predicted, ...found } = threeWay(read('smd-service-config.yaml'), read('smd-service-live.yaml'))
      expect(paths(found)).toEqual(['spec.ports[port=1935,protocol=TCP].targetPort'])
      expect(predicted['spec']).toMatchObject({ internalTrafficPolicy: 'Cluster' })
    })

    test('a removed port', () => {
      const { predicted, modified } = threeWay(read('smd-service-config-2-ports.yaml'), read('smd-service-live.yaml'))
      expect([modified, portsOf(predicted).length]).toEqual([true, 2])
    })

    test('ports of one number and two protocols', () => {
      const { predicted, modified } = threeWay(read('smd-service-config-ports.yaml'), read('smd-service-live.yaml'))
      expect([modified, portsOf(predicted).length]).toEqual([true, 5])
    })

    test('a field that git does not set any more gets its default', () => {
      const { predicted, modified } = threeWay(read('smd-service-config.yaml'), read('smd-service-live-with-type.yaml'))
      expect([modified, predicted['spec']]).toEqual([true, expect.objectContaining({ type: 'ClusterIP' })])
    })

    test('defaults are none', () => {
      expect(threeWay(read('smd-deploy-config.yaml'), read('smd-deploy-live.yaml')).differences).toEqual([])
    })
  },
)

function serverSide(name: string, live: string, predicted: string, includesMutations = false) {
  const [before, after] = [read(`${live}-live.yaml`), read(`${predicted}-predicted-live.json`)]
  const ownership = { live: fieldsOf(before), predicted: fieldsOf(after) }
  const states = { live: before, predicted: after, ignore: [], ...schemaOf(read(`${name}-config.yaml`)) }
  return paths(compareStates({ ...states, ...(includesMutations ? {} : { ownership }) }))
}

describe.skipIf(!present)(
  `Argo CD's server-side diff vectors (${present ? 'present' : 'skipped: ../shared/vectors is not there'})`,
  () => {
    test('what a webhook has written is left out, unless it is asked for', () => {
      expect(serverSide('ssd-service', 'ssd-service', 'ssd-service')).toEqual([
        'metadata.labels[app.kubernetes.io/instance]',
      ])
      expect(serverSide('ssd-service', 'ssd-service', 'ssd-service', true)).toContain('metadata.labels.event')
    })

    test.each([
      ['ssd-configmap', 'data.key3'],
      ['ssd-deploy-nested', 'spec.template.spec.containers[name=main-container].env[name=ENV_VAR2]'],
      ['ssd-deploy-nested', 'spec.template.spec.containers[name=main-container].ports[containerPort=443,protocol=TCP]'],
      ['ssd-deploy-composite-key', 'spec.template.spec.containers[name=nginx].ports[containerPort=8080,protocol=TCP]'],
      [
        'ssd-deploy-with-manual-apply',
        'spec.template.spec.containers[name=main-container].ports[containerPort=40,protocol=TCP]',
      ],
    ])('%s differs in %s', (name, path) => {
      expect(serverSide(name, name, name)).toContain(path)
    })

    test('requests that a webhook has set in smd-deploy2 stay out of it', () => {
      const found = serverSide('smd-deploy2', 'smd-deploy2', 'smd-deploy2')
      expect(found).not.toEqual([])
      expect(found.filter((path) => path.includes('resources'))).toEqual([])
    })

    test('a label that git does not set any more', () => {
      expect(serverSide('ssd-svc-no-label', 'ssd-svc-label', 'ssd-svc-no-label')).toEqual(['metadata.labels.delete-me'])
    })
  },
)
