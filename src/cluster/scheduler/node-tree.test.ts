// The order in which nodes are looked at.
import { expect, it } from 'vitest'
import { node, sceneOf, zone } from '../../../test/support/scheduling-scene.ts'

it('looks at one zone after the other', () => {
  const nodes = ['a', 'a', 'a', 'b', 'c', 'c'].map((name, i) => node(`n${i}`, { labels: { [zone]: name } }))
  expect(sceneOf({ nodes }).nodes.map(({ name }) => name)).toEqual(['n0', 'n3', 'n4', 'n1', 'n5', 'n2'])
})
