// Charts whose rendering has to be stopped: they take turns, and leave room for the others.

import { expect, test } from 'vitest'
import { createRenderer } from '#gitops/render'
import { filesSnapshot } from '#gitops/source'
import { ToolFault, type Tools } from '#gitops/tools'
import { simulatedWorld } from '#world'
import { renderingEnvironment } from './rendering.ts'
import { tools } from './tool-rendering.ts'

test('a chart that does not end is tried less and less often, and never beside another one like it', async () => {
  const world = simulatedWorld(1)
  const running = new Map<string, () => void>()
  let runs = 0
  const helm: Tools['helm'] = ({ files }) => {
    const name = Buffer.from(files[0]?.bytes ?? []).toString('utf8')
    runs += 1
    if (name.includes('quick')) return Promise.resolve('')
    return new Promise((_resolve, reject) => {
      running.set(name, () => reject(new ToolFault('stopped', 'it was stopped')))
    })
  }
  const renderer = createRenderer({ world, tools: { ...tools(), helm } })
  const render = (name: string) =>
    renderer.render({
      snapshot: filesSnapshot([{ path: 'Chart.yaml', bytes: Buffer.from(`name: ${name}\nversion: 1.0.0\n`) }]),
      path: '.',
      source: { repoURL: 'https://git.example.com/a.git', path: '.' },
      environment: renderingEnvironment,
    })
  const settle = () => new Promise((resolve) => setImmediate(resolve))
  const stop = async (): Promise<number> => {
    const stopped = running.size
    for (const end of [...running.values()]) end()
    running.clear()
    for (let turn = 0; turn < 5; turn++) await settle()
    return stopped
  }
  const slow = async (): Promise<readonly number[]> => {
    const all = Promise.all([render('slow-1'), render('slow-2'), render('slow-3')])
    const together: number[] = []
    for (let turn = 0; turn < 5; turn++) await settle()
    while (running.size > 0) {
      expect((await render(`quick-${runs}`)).problems).toEqual([])
      together.push(await stop())
    }
    expect((await all).map(({ problems }) => problems[0]?.message)).toEqual(Array(3).fill('it was stopped'))
    return together
  }
  expect(await slow()).toEqual([3])
  expect(await slow()).toEqual([])
  await world.advance(61_000)
  expect(await slow()).toEqual([1, 1, 1])
  await world.advance(61_000)
  expect(await slow()).toEqual([])
  await world.advance(61_000)
  expect(await slow()).toEqual([1, 1, 1])
})
