// One daemon from start to stop: ground, machine with its reconciler, and doors, in this order, and back in the opposite one.

import { join } from 'node:path'
import { audited } from '#apiserver'
import { certificateControllers, defaultStorageClassAddon } from '#controllers'
import { applyRootApplication, connectByHttp, createGitops, createTools } from '#gitops'
import { readRequest, requestSigner } from '#http'
import { createMachine, type Machine } from '#machine'
import { assertAdmission } from './admission.ts'
import { openAudit } from './audit.ts'
import { openDoors } from './doors.ts'
import { layGround } from './ground.ts'
import { accessTokens, prepareAccess } from './kube-door.ts'
import { bringUp, type Running, type Undo } from './lifetime.ts'
import { localSourceOf } from './local-source.ts'
import { followNews } from './news.ts'
import type { DaemonAddresses, DaemonOptions } from './options.ts'
import { runUntilStopped } from './run.ts'

export interface Daemon extends Running<DaemonAddresses> {
  readonly machine: Machine
  /** Tells what becomes of the applications, in lines for a person. */
  follow(tell: (line: string) => void): void
}

export const startDaemon = (options: DaemonOptions): Promise<Daemon> =>
  bringUp(options.dataDir, (undo) => build(options, undo))

/**
 * `onNews` hears of the applications, line by line. Resolves after a clean stop; rejects with DaemonError when the daemon
 * cannot start or go on.
 */
export const runDaemon = (
  options: DaemonOptions,
  onReady: (addresses: DaemonAddresses) => void = () => {},
  onNews: (line: string) => void = () => {},
): Promise<void> =>
  runUntilStopped(
    () => startDaemon(options),
    (daemon) => {
      onReady(daemon.addresses)
      daemon.follow(onNews)
    },
  )

async function build(options: DaemonOptions, undo: Undo): Promise<Omit<Daemon, 'stop'>> {
  assertAdmission(options.admission ?? {})
  const local = await localSourceOf(options.repository)
  const { directory, store, world, serviceAccountKey, failed } = await layGround(options, undo)
  const gitops = createGitops({
    world,
    directory: join(directory.path, 'repositories'),
    local,
    named: options.repository?.location,
    pollMs: options.intervalSeconds * 1000,
    follow: true,
    environment: options.tools.environment,
    plugins: options.plugins ?? [],
    ...(options.aws === true ? { aws: options.tools.environment } : {}),
    clusters: {
      ...options.clusters,
      connect: connectByHttp({ clock: world.clock, environment: options.tools.environment, now: Date.now }),
    },
    tools: createTools({ world, ...options.tools, say: (text) => world.log.info(text) }),
  })
  const { nodes, kubelet, instant, scheduler = {} } = options
  // The recordings for the stand-in were made with a bare control plane.
  const addons = kubelet === 'standin' ? [] : [defaultStorageClassAddon]
  const extraLoops = [...gitops.loops, ...certificateControllers(readRequest, requestSigner(directory.path)), ...addons]
  const audit = await openAudit(options.audit, world, undo)
  const access = await prepareAccess({ options, directory })
  const machine: Machine = createMachine({
    ...{ world, store, nodes, kubelet, instant, scheduler, serviceAccountKey, extraLoops },
    tokenUser: accessTokens(access),
    ...(options.admission === undefined ? {} : { admission: options.admission }),
    ...(audit === undefined ? {} : { wrapLoops: audited(audit, world, (question) => machine.decide(question)) }),
  })
  undo.push(() => machine.stop())
  const doors = await openDoors({ options, directory, machine, world, gitops, access, ...(audit && { audit }) })
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
