// What is wrong with a scenario is said with file and line; the same seed tells the same story.

import { describe, expect, it } from 'vitest'
import { runScenario } from '#lab'

const run = (text: string, seed: number | string = 1) => runScenario('story.txt', text, { seed })

describe('a scenario', () => {
  it('that cannot be carried out names file and line', async () => {
    await expect(run('# a\nfly home\n----\n')).rejects.toThrow('story.txt:2: there is no command fly')
    await expect(run('advance soon\n----\n')).rejects.toThrow('story.txt:1: advance soon: soon is not a duration')
    await expect(run('show pods\n----\n\nshow unicorns\n----\n')).rejects.toThrow('story.txt:4: show unicorns: no kind')
    await expect(run('apply\n  a: b\n   c: d\n----\n')).rejects.toThrow('story.txt:2: apply: Nested mappings')
    await expect(run('until pod/x exists within 5s\n----\n')).rejects.toThrow(
      'story.txt:1: until pod/x exists within 5s: not',
    )
    await expect(run('apply\n  a: b\n   c: d\n----\n')).rejects.not.toThrow('at line')
    await expect(run('')).rejects.toThrow('story.txt:1: there is no command in this file')
    await expect(run('show pods --namespace-of=x\n')).rejects.toThrow(
      'story.txt:1: show pods --namespace-of=x: --namespace-of is no option of it (usage: show KIND',
    )
    await expect(run('advance 1s -n kube-system\n')).rejects.toThrow('-n is no option of it')
    await expect(run('stop node node-z\n')).rejects.toThrow(
      'story.txt:1: stop node node-z: no node is called node-z: use one of node-',
    )
    await expect(run('cluster nodes=many\n----\n')).rejects.toThrow('story.txt:1: cluster nodes=many: nodes: many')
  })

  it('prints what the server refuses', async () => {
    const { text, same } = await run('delete pod/missing\n----\n')
    expect(text).toBe('delete pod/missing\n----\nError from server (NotFound): pods "missing" not found\n')
    expect(same).toBe(false)
    expect((await run(text)).same).toBe(true)
  })

  it('takes the same course with the same seed', async () => {
    const story =
      'apply\n  {apiVersion: v1, kind: Pod, metadata: {name: a}, spec: {containers: [{name: a, image: nginx}]}}\nadvance 1m\nshow pods with NODE,IP\nshow events\n----\n'
    expect((await run(story, 7)).text).toBe((await run(story, 7)).text)
  })
})
