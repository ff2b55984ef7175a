// A whole cluster with its reconciler in virtual time, in memory, that follows one state of a repository and can be moved on
// to another. Nothing outside of this machine is asked unless that is allowed. The same input and seed give the same run.

import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Client } from '#client'
import { defaultStorageClassAddon } from '#controllers'
import {
  applyRootApplication,
  createGitops,
  createTools,
  type Gitops,
  type GitopsOptions,
  type LocalSource,
} from '#gitops'
import { type Pin, withoutCredentials } from '#gitops/source'
import { waitingKinds } from '#insight'
import { createMachine, type Machine } from '#machine'
import type { AnyObject } from '#objects'
import type { Cache } from '#reconcile'
import { type SimulatedWorld, simulatedWorld } from '#world'
import type { LabTools } from '../lab.ts'
import { AssumedKinds } from './assumed-kinds.ts'
import { attendantLoop } from './attendant.ts'
import { Calm } from './calm.ts'
import { Diary } from './diary.ts'
import { Disruptions } from './disruption.ts'
import { gapsIn } from './gaps.ts'
import { applyGiven } from './given.ts'

export interface StageOptions {
  /** The repository or folder: absolute. */
  readonly location: string
  /** Folder of it that is synced; default its root. */
  readonly path?: string
  /** The state to begin with. */
  readonly pin: Pin
  /** Checkouts of other repositories, by the URL that they stand for. */
  readonly checkouts?: readonly { readonly url: string; readonly path: string }[]
  /** What is in the cluster before: definitions, namespaces, Secrets that are not in git. */
  readonly given?: readonly AnyObject[]
  readonly nodes?: number
  readonly seed?: string | number
  readonly tools?: LabTools
  /** Config management plug-ins that may run. */
  readonly plugins?: NonNullable<GitopsOptions['plugins']>
  /** Other repositories, charts and remote bases may be fetched. */
  readonly network?: boolean
  /** Where webhooks outside of the cluster are called; default: nowhere. */
  readonly webhookHosts?: readonly string[]
  /** Kinds that nothing defines are taken to be there. */
  readonly assumesKinds?: boolean
}

export interface Settled {
  /** False: something was still going on when the time was over. */
  readonly settled: boolean
  /** Virtual time until nothing changed any more. */
  readonly seconds: number
}

export interface Stage {
  readonly world: SimulatedWorld
  readonly machine: Machine
  readonly gitops: Gitops
  readonly client: Client
  /** Holds what `explain` looks through. */
  readonly cache: Cache
  readonly diary: Diary
  readonly disruptions: Disruptions
  readonly assumed: AssumedKinds
  /** Runs until nothing changes any more, at most so long. */
  settle(limitMs: number): Promise<Settled>
  /** The repository moves on, as by a push of which a webhook tells. */
  moveTo(pin: Pin): Promise<void>
  ask<T>(work: (client: Client) => Promise<T>): Promise<T>
  stop(): Promise<void>
}

/** Nodes, default objects and service accounts are there when it begins. */
const warmUpMs = 5000
const lookEveryMs = 1000
/** What the repository itself defines is there by then. */
const assumedAfterMs = 60_000
/** What fits is not what is asked here: there is room for what a large company runs. */
const roomy = { cpu: '128', memory: '512Gi', pods: '240', 'ephemeral-storage': '2Ti' }
const defaultNodes = 10
const defaultSeed = 1

const offline = (url: string, chart: string): string =>
  chart === ''
    ? `give a checkout of it with --map ${withoutCredentials(url)}=PATH, or allow --render-network`
    : 'allow --render-network'

export async function createStage(options: StageOptions): Promise<Stage> {
  const { location, path, given = [], nodes = defaultNodes, network = false } = options
  const world = simulatedWorld(options.seed ?? defaultSeed)
  const mirrors = network ? mkdtempSync(join(tmpdir(), 'homeostat-mirrors-')) : undefined
  const calm = new Calm(world.clock.now())
  const diary = new Diary(() => world.clock.now())
  const disruptions = new Disruptions(() => world.clock.now())
  const assumed = new AssumedKinds()
  let pin = options.pin
  const gitops = createGitops({
    ...gitopsOptions(options, world),
    directory: mirrors ?? '/nonexistent',
    local: [{ path: location, urls: urlsOf(options, location), pin: () => pin }, ...otherCheckouts(options)],
    onCompared: (app, seen) => {
      diary.see(app, seen)
      if (options.assumesKinds === true) for (const state of seen.states()) assumed.note(state)
    },
  })
  const said = new Map<string, string>()
  const attendant = attendantLoop((key, app) => {
    calm.hear(key, app, world.clock.now())
    diary.hear(key, app)
  }, said)
  const machine = createMachine({
    world,
    nodes: { count: nodes, allocatable: roomy },
    admission: { webhookHosts: options.webhookHosts ?? [] },
    extraLoops: [...gitops.loops.filter(({ name }) => name !== tellsPeople), defaultStorageClassAddon, attendant],
  })
  const client = machine.client({ userAgent: 'homeostat' })
  const ask = <T>(work: (asking: Client) => Promise<T>): Promise<T> => world.drive(() => work(client))
  const ended = new AbortController()
  machine.start()
  const cache = machine.runtime.cacheFor('rehearsal', waitingKinds)
  await world.advance(warmUpMs)
  disruptions.follow(client, ended.signal).catch((error: unknown) => {
    if (!ended.signal.aborted) throw error
  })
  await applyGiven({ world, ask }, given)
  await ask((asking) =>
    applyRootApplication(asking, { location, manual: false, ...(path === undefined ? {} : { path }) }),
  )
  calm.disturb(world.clock.now())
  return {
    ...{ world, machine, gitops, client, cache, diary, disruptions, assumed, ask },
    async settle(limitMs) {
      const { clock } = world
      const startedAt = clock.now()
      for (;;) {
        await world.advance(lookEveryMs)
        const settled = calm.isOver(gapsIn(cache, clock.now()), clock.now())
        const isLate = clock.now() - startedAt >= limitMs
        // Nobody has brought them until now.
        if (!isLate && calm.quietMs(clock.now()) >= assumedAfterMs && (await assumed.define(ask))) {
          said.clear()
          calm.disturb(clock.now())
          continue
        }
        if (!settled && !isLate) continue
        const until = settled ? calm.newAt : clock.now()
        return { settled, seconds: Math.max(Math.ceil((until - startedAt) / 1000), 0) }
      }
    },
    async moveTo(next) {
      pin = next
      diary.begin()
      disruptions.begin()
      calm.disturb(world.clock.now())
      gitops.repositoryChanged(location)
      await world.settle()
    },
    async stop() {
      ended.abort()
      await world.drive(() => machine.stop())
      if (mirrors !== undefined) rmSync(mirrors, { recursive: true, force: true })
    },
  }
}

const urlsOf = ({ checkouts = [] }: StageOptions, path: string): readonly string[] =>
  checkouts.flatMap((each) => (each.path === path ? [each.url] : []))

/** What is checked out there is what is meant, whatever branch an Application names. */
function otherCheckouts(options: StageOptions): readonly LocalSource[] {
  const { location, checkouts = [] } = options
  const paths = new Set(checkouts.flatMap(({ path }) => (path === location ? [] : [path])))
  return [...paths].map((path) => ({ path, urls: urlsOf(options, path), pin: () => ({}) }))
}

/** Nobody is told of a rehearsal. */
const tellsPeople = 'notifications-controller'

function gitopsOptions(
  { tools, plugins = [], network = false }: StageOptions,
  world: SimulatedWorld,
): Omit<GitopsOptions, 'directory'> {
  return {
    world,
    pollMs: 0,
    plugins,
    ...(tools === undefined
      ? {}
      : { tools: createTools({ world, ...tools, network }), environment: tools.environment }),
    ...(network ? {} : { offline }),
  }
}
