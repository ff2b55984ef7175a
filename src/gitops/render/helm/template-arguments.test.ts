import { describe, expect, test } from 'vitest'
import type { HelmSource } from '#kinds'
import { escapeCommas, givenValues, templateArguments } from './template-arguments.ts'

const words = (helm: HelmSource): readonly string[] =>
  templateArguments({
    helm,
    environment: {
      app: { name: 'shop', project: 'default', namespace: 'web' },
      capabilities: { kubeVersion: '1.34.0', apiVersions: ['apps/v1'] },
    },
    variables: { ARGOCD_APP_NAME: 'shop' },
    values: ['../../source/values-prod.yaml'],
    fileParameters: [],
  })

describe('helm template', () => {
  test('by default: named after the application, for its namespace and cluster, with CRDs', () => {
    expect(words({})).toEqual([
      ...['template', '.', '--name-template', 'shop', '--namespace', 'web', '--kube-version', '1.34.0'],
      ...['--values', '../../source/values-prod.yaml', '--api-versions', 'apps/v1', '--include-crds'],
    ])
  })

  test('parameters: the last of a name counts, commas are kept, variables are filled in', () => {
    const parameters = [
      { name: 'tag', value: '1' },
      { name: 'host', value: '$ARGOCD_APP_NAME.example,b' },
      { name: 'tag', value: '2', forceString: true },
    ]
    expect(words({ parameters }).slice(8, 12)).toEqual(['--set-string', 'tag=2', '--set', 'host=shop.example\\,b'])
  })

  test('tests of the chart and the check of its values are left out where that is said', () => {
    const given = words({ skipTests: true, skipSchemaValidation: true })
    expect(given).toEqual([...words({}), '--skip-schema-validation', '--skip-tests'])
  })

  test('what the application says replaces what the cluster is', () => {
    const said = words({ releaseName: 'r', namespace: 'n', kubeVersion: '1.30', apiVersions: ['x/v1'], skipCrds: true })
    expect(said.join(' ')).toBe(
      'template . --name-template r --namespace n --kube-version 1.30 --values ../../source/values-prod.yaml --api-versions x/v1',
    )
  })
})

test('commas', () => {
  expect(['a,b', 'a\\,b', '{a,b}'].map(escapeCommas)).toEqual(['a\\,b', 'a\\,b', '{a,b}'])
})

test('valuesObject wins over values, and dollars in values are left alone', () => {
  expect(givenValues({ values: 'a: $x', valuesObject: { mode: 'off', price: '$5' } })).toBe('mode: "off"\nprice: $5\n')
  expect(givenValues({ values: 'a: $x' })).toBe('a: $x')
  expect(givenValues({})).toBeUndefined()
})
