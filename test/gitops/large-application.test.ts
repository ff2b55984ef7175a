// What one application of many objects costs, counted in looks: not one for each thing that happens to each object.

import { afterEach, expect, test } from 'vitest'
import { ConfigMap } from '#kinds'
import { Observer } from '../support/observer.ts'
import { application, auto, configMap, type Lab, startLab } from './reconciler.ts'

let lab: Lab
afterEach(() => lab.stop())

test('of a thousand objects that all change, one after the other, is looked at a few times', async () => {
  const names = Array.from({ length: 1000 }, (_, i) => `map-${i}`)
  const observer = new Observer()
  let looks = 0
  observer.join({
    begins: ({ loop }) => {
      if (loop === 'application-controller') looks += 1
    },
  })
  lab = await startLab({
    files: { 'large/all.yaml': names.map((name) => configMap(name, '1')).join('---\n') },
    observer,
    wrap: observer.wrap,
  })
  await lab.create(application('large', lab.repo, { automated: auto }))
  await lab.settled('large')
  await lab.world.advance(1000)
  looks = 0
  for (const name of names.slice(0, 200)) {
    const patch = { metadata: { labels: { touched: 'yes' } } }
    await lab.client.patch(ConfigMap, { namespace: 'shop', name }, patch, { type: 'application/merge-patch+json' })
    await lab.world.advance(1)
  }
  await lab.world.advance(1000)
  // 200 ms of changes, and 50 ms of rest after each look.
  expect(looks).toBeGreaterThan(1)
  expect(looks).toBeLessThanOrEqual(8)
  await lab.client.delete(ConfigMap, { namespace: 'shop', name: 'map-7' })
  await lab.until(async () => (await lab.find(ConfigMap, { namespace: 'shop', name: 'map-7' })) !== undefined, 5000)
})
