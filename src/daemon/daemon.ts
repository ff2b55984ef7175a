// One daemon from start to stop: data directory, world, store, machine and doors, in this order, and back in the
// opposite one. Whatever fails on the way up undoes what was done and becomes one DaemonError.

import { join } from 'node:path'
import { type Audit, audited, createAudit, storeCodec } from '#apiserver'
import { certificateControllers, defaultStorageClassAddon } from '#controllers'
import { createGitops, createTools } from '#gitops'
import { readRequest, readServiceAccountKey, requestSigner, TokensError } from '#http'
import { createMachine, type Machine } from '#machine'
import { createMemoryStore, openStore, type Store, StoreOpenError } from '#store'
import { type SystemWorld, systemWorld, type World } from '#world'
import { openAuditFile } from './audit-file.ts'
import { type DataDirectory, openDataDirectory } from './data-directory.ts'
import { openDoors } from './doors.ts'
import { openLog } from './log.ts'
import { followNews } from './news.ts'
import { type DaemonAddresses, DaemonError, type DaemonOptions } from './options.ts'
import { applyRootApplication, localSourceOf } from './root-application.ts'
import { keepTime, resumeTime } from './world-time.ts'

export interface Daemon {
  readonly addresses: DaemonAddresses
  readonly machine: Machine
  /** Resolves when the daemon cannot go on (its disk failed): the reason in one line. */
  readonly failed: Promise<string>
  /** Tells what becomes of the applications, in lines for a person. */
  follow(tell: (line: string) => void): void
  stop(): Promise<void>
}

/** What has to be undone at the end, last first. */
type Undo = (() => Promise<void> | void)[]

export async function startDaemon(options: DaemonOptions): Promise<Daemon> {
  const undo: Undo = []
  const stop = async (): Promise<void> => {
    for (let step = undo.pop(); step !== undefined; step = undo.pop()) await step()
  }
  try {
    return { ...(await build(options, undo)), stop }
  } catch (error) {
    await stop()
    if (error instanceof TokensError) throw new DaemonError(`${options.dataDir}: ${error.message}`, { cause: error })
    throw error
  }
}

async function build(options: DaemonOptions, undo: Undo): Promise<Omit<Daemon, 'stop'>> {
  const local = await localSourceOf(options.repository)
  const directory = await openDataDirectory(options.dataDir)
  undo.push(() => directory.release())
  let fail: (reason: string) => void = () => {}
  const failed = new Promise<string>((resolve) => {
    fail = resolve
  })
  const store = await chooseStore(options, directory, (error) => fail(error.message))
  const startAt = options.ephemeral ? Date.now() : await resumeTime(directory.path)
  const world = createWorld(options, directory, { revision: store.revision, startAt })
  undo.push(() => world.close())
  if (!options.ephemeral) undo.push(keepTime(directory.path, { world, speed: options.speed }))
  const gitops = createGitops({
    world,
    directory: join(directory.path, 'repositories'),
    local,
    pollMs: options.intervalSeconds * 1000,
    follow: true,
    environment: options.tools.environment,
    tools: createTools({ world, ...options.tools, say: (text) => world.log.info(text) }),
  })
  const { nodes, kubelet, instant, scheduler = {} } = options
  const serviceAccountKey = await readServiceAccountKey(directory.path)
  // The recordings for the stand-in were made with a bare control plane.
  const addons = kubelet === 'standin' ? [] : [defaultStorageClassAddon]
  const extraLoops = [...gitops.loops, ...certificateControllers(readRequest, requestSigner(directory.path)), ...addons]
  const audit = await openAudit(options, world, undo)
  const machine: Machine = createMachine({
    ...{ world, store, nodes, kubelet, instant, scheduler, serviceAccountKey, extraLoops },
    ...(audit === undefined ? {} : { wrapLoops: audited(audit, world, (question) => machine.decide(question)) }),
  })
  undo.push(() => machine.stop())
  const doors = await openDoors({ options, directory, machine, world, gitops, ...(audit && { audit }) })
  undo.push(() => doors.close())
  machine.start()
  if (options.repository !== undefined) await applyRootApplication(machine.client(), options.repository)
  world.log.info('started', { api: doors.addresses.api, dashboard: doors.addresses.dashboard })
  const leaving = new AbortController()
  undo.push(() => leaving.abort())
  const follow = (tell: (line: string) => void): void =>
    followNews({ client: machine.client(), world, signal: leaving.signal }, tell)
  return { addresses: doors.addresses, machine, failed, follow }
}

async function openAudit({ audit }: DaemonOptions, world: World, undo: Undo): Promise<Audit | undefined> {
  if (audit === undefined) return undefined
  const file = await openAuditFile(audit.file, (line) => {
    world.log.error(line)
    process.stderr.write(`homeostat: ${line}\n`)
  })
  undo.push(() => file.close())
  return createAudit({ policy: audit.policy, world, write: (line) => file.write(line) })
}

/** A cluster that is continued must not draw the numbers of its earlier life again: they became uids and names. */
function createWorld(
  { speed, seed }: DaemonOptions,
  directory: DataDirectory,
  { revision, startAt }: { readonly revision: number; readonly startAt: number },
): SystemWorld {
  let now = (): number => Date.now()
  const warn = (line: string): void => void process.stderr.write(`homeostat: ${line}\n`)
  const { log } = openLog(directory.path, () => now(), warn)
  const world = systemWorld({
    speed,
    startAt,
    log,
    ...(seed === undefined ? {} : { seed: revision === 0 ? `${seed}` : `${seed}/${revision}` }),
  })
  now = () => world.clock.now()
  return world
}

async function chooseStore(
  options: DaemonOptions,
  directory: DataDirectory,
  onFailure: (error: Error) => void,
): Promise<Store> {
  if (options.ephemeral) return createMemoryStore()
  try {
    return await openStore({ folder: `${directory.path}/store`, codec: storeCodec, onFailure })
  } catch (error) {
    if (error instanceof StoreOpenError) throw new DaemonError(error.message, { cause: error })
    throw error
  }
}
