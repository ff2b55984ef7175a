import { expect, test } from 'vitest'
import { discoverType, explicitType } from './source-type.ts'

const repoURL = 'https://git.example/x.git'
const found = (...paths: readonly string[]) => discoverType(paths.map((path) => ({ path, id: path })))

test('a folder is what its files say', () => {
  expect(found('Chart.yaml', 'kustomization.yaml')).toBe('Helm')
  expect(found('a.yaml', 'Kustomization')).toBe('Kustomize')
  expect(found('a.yaml', 'kustomization.yml')).toBe('Kustomize')
  expect(found('a.yaml', 'sub/Chart.yaml')).toBe('Directory')
})

test('what the application says comes first; empty blocks say nothing', () => {
  expect(explicitType({ repoURL, directory: {}, helm: {} })).toBeUndefined()
  expect(explicitType({ repoURL, directory: { recurse: true } })).toBe('Directory')
  expect(explicitType({ repoURL, kustomize: { namePrefix: 'x-' } })).toBe('Kustomize')
  expect(explicitType({ repoURL, helm: { releaseName: 'x' } })).toBe('Helm')
  expect(explicitType({ repoURL, helm: { releaseName: 'x' }, kustomize: { namePrefix: 'x-' } })).toEqual({
    message: 'multiple application sources defined: Kustomize,Helm',
  })
  expect(explicitType({ repoURL, plugin: { name: 'x' } })).toBe('Plugin')
  expect(explicitType({ repoURL, plugin: {} })).toBe('Plugin')
  expect(explicitType({ repoURL, chart: 'x' })).toBe('Helm')
  expect(explicitType({ repoURL, chart: 'x', plugin: {} })).toBe('Plugin')
})
