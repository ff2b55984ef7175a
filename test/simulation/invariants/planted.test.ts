// Every invariant can fail: a loop that breaks it, or a world in which it is broken, is seen and told.

import { describe, expect, it } from 'vitest'
import { CoreV1Event, Deployment } from '#kinds'
import { deployment } from '../../support/manifests.ts'
import { invariants } from './index.ts'
import { guiltyEndpoints } from './plants/guilty-endpoints.ts'
import { guiltyJobs } from './plants/guilty-jobs.ts'
import { guiltyLoops } from './plants/guilty-loops.ts'
import { guiltyRollouts } from './plants/guilty-rollouts.ts'
import { innocents } from './plants/innocents.ts'
import { seenIn } from './plants/stage.ts'
import { worlds } from './plants/worlds.ts'

const guilty = [...guiltyLoops, ...guiltyRollouts, ...guiltyJobs, ...guiltyEndpoints]

describe('a broken world is seen', () => {
  it.each(worlds)('$name', async ({ plant, told, atEnd }) => {
    expect(await seenIn(plant, atEnd)).toEqual(expect.arrayContaining([expect.stringMatching(told)]))
  })
})

describe('a guilty loop is seen', () => {
  it.each(guilty)('$name', async ({ plant, told, atEnd }) => {
    expect(await seenIn(plant, atEnd)).toEqual(expect.arrayContaining([expect.stringMatching(told)]))
  })
})

describe('an innocent loop is left alone', () => {
  it.each(innocents)('$name', async ({ plant, atEnd }) => {
    expect(await seenIn(plant, atEnd)).toEqual([])
  })
})

it('every invariant has its plant', () => {
  const told = [...worlds, ...guilty].map((planted) => planted.told.source)
  for (const { name } of invariants) expect([name, told.some((text) => text.startsWith(name))]).toEqual([name, true])
})

it('nothing is seen where nothing is wrong', async () => {
  const seen = await seenIn(async (stage) => {
    await stage.test.client.create(Deployment, deployment('web'))
    await stage.test.client.list(CoreV1Event)
  })
  expect(seen).toEqual([])
})
