// A recording whose behaviour or actions a replay does not understand is refused, with the place and what is known there.

import { basename } from 'node:path'
import { describe, expect, it } from 'vitest'
import { checkBehaviour } from './grammar.ts'
import { readRecording, recordingsFolder, recordingsIn } from './recording.ts'
import { replay } from './replay.ts'

const [some = ''] = recordingsIn(recordingsFolder)

const behaviour = (container: object): object => ({
  images: {},
  pods: { web: { containers: { app: { runs: [{ forever: true }], ...container } } } },
  compare: { mode: 'exact', statusSequence: 'equal', events: 'equal' },
})

describe('the grammar of behaviour', () => {
  it.each(recordingsIn(recordingsFolder).map((path) => [basename(path, '.json'), path]))('knows %s', (_name, path) => {
    expect(() => checkBehaviour(readRecording(path).behaviour)).not.toThrow()
  })

  it.each<[string, object, string]>([
    ['a key', { leaks: true }, 'behaviour.pods.web.containers.app.leaks is not known; known there are runs, '],
    ['a key in a list', { runs: [{ exit: 1 }] }, 'behaviour.pods.web.containers.app.runs[0].exit is not known'],
    [
      'a word',
      { probes: { liveness: [{ fromSeconds: 0, result: 'maybe' }] } },
      'probes.liveness[0].result is maybe; known are success, failure, error, timeout',
    ],
    [
      'a cause',
      { probes: { liveness: [{ fromSeconds: 0, result: 'failure', cause: { kind: 'boredom' } }] } },
      'cause.kind is boredom',
    ],
    ['a list that is none', { runs: {} }, 'runs is no list'],
  ])('refuses %s that it does not know', (_what, container, message) => {
    expect(() => checkBehaviour(behaviour(container))).toThrow(message)
  })

  it('refuses an action that it does not know', async () => {
    const recording = readRecording(some)
    const actions = [...recording.actions, { t: 3, action: 'sing' }]
    await expect(replay({ ...recording, actions })).rejects.toThrow('action sing is not known; known are create, ')
  })
})
