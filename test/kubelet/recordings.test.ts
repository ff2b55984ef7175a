// What a real kubelet did, done again in the simulated cluster: the same statuses in the same order, the same Events.

import { describe, expect, it } from 'vitest'
import { differences } from './compare.ts'
import { readRecording, recordingNames } from './recording.ts'
import { replay } from './replay.ts'

describe('recordings of a real kubelet', () => {
  it.each(recordingNames)('%s', async (name) => {
    const recording = readRecording(name)
    expect(differences(recording, await replay(recording))).toEqual([])
  })
})
