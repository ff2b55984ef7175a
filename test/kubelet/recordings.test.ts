// What a real kubelet did, done again in the simulated cluster: the same statuses in the same order, the same Events.

import { basename } from 'node:path'
import { describe, expect, it } from 'vitest'
import { faultsOf } from './attempts.ts'
import { readRecording, recordingsFolder, recordingsIn } from './recording.ts'

describe('recordings of a real kubelet', () => {
  it.each(recordingsIn(recordingsFolder).map((path) => [basename(path, '.json'), path]))('%s', async (_name, path) => {
    expect(await faultsOf(readRecording(path))).toEqual([])
  })
})
