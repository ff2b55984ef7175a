import { expect, it } from 'vitest'
import { type ClusterEntry, resolveDestination, scopeFault } from './cluster-entry.ts'

const entry = (name: string, server: string): ClusterEntry => ({
  ...{ name, server, project: '', clusterResources: false, way: { type: 'built-in' }, origin: '', refresh: '' },
})
const east = entry('east', 'https://east')

it('a destination is found by its address, with a slash or without, or by its name', () => {
  expect(resolveDestination([east], { server: 'https://east//' })).toBe(east)
  expect(resolveDestination([east], { name: 'east' })).toBe(east)
  // Two descriptions of one server are one cluster.
  expect(resolveDestination([east, entry('alias', 'https://east')], { name: 'alias' })).toBe(east)
})

it.each([
  [{ namespaces: undefined, clusterResources: false }, 'x', undefined],
  [{ namespaces: ['a'], clusterResources: false }, 'a', undefined],
  [{ namespaces: ['a'], clusterResources: false }, 'b', 'namespace "b" for Role "r" is not managed'],
  [{ namespaces: ['a'], clusterResources: true }, '', undefined],
  [
    { namespaces: ['a'], clusterResources: false },
    '',
    'cluster level Role "r" can not be managed when in namespaced mode',
  ],
] as const)(
  'in %j an object of namespace %j is in reach or not',
  ({ namespaces, clusterResources }, namespace, fault) => {
    const cluster = { clusterResources, ...(namespaces === undefined ? {} : { namespaces }) }
    expect(scopeFault(cluster, { kind: 'Role', namespace, name: 'r' })).toBe(fault)
  },
)
