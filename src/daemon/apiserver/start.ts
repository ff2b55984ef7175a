// An API server from start to stop: the same ground, machine and door as a whole daemon, with fewer loops. Its pods run in
// the name of nobody where no loop makes service accounts, since otherwise none could be made.

import { readFile, rm } from 'node:fs/promises'
import { join } from 'node:path'
import type { AdmissionChoice } from '#admission'
import { audited } from '#apiserver'
import { createMetrics, isOwnKubeconfig } from '#http/kube'
import { createMachine, type Machine } from '#machine'
import { assertAdmission } from '../admission.ts'
import { openAudit } from '../audit.ts'
import { layGround } from '../ground.ts'
import { programVersion } from '../installation.ts'
import { accessTokens, openKubeDoor, prepareAccess } from '../kube-door.ts'
import { bringUp, type Running, type Undo } from '../lifetime.ts'
import { DaemonError, DaemonUsageError } from '../options.ts'
import { runUntilStopped } from '../run.ts'
import { type ChosenLoops, chooseLoops } from './loops.ts'
import type { ApiServerAddresses, ApiServerOptions } from './options.ts'
import { makeScratch } from './scratch.ts'

export interface ApiServer extends Running<ApiServerAddresses> {
  readonly machine: Machine
}

/** Resolves after a clean stop; rejects with DaemonError when it cannot start or go on. */
export const runApiServer = (
  options: ApiServerOptions,
  onReady: (addresses: ApiServerAddresses) => void,
): Promise<void> =>
  runUntilStopped(
    () => startApiServer(options),
    ({ addresses }) => onReady(addresses),
  )

export async function startApiServer(options: ApiServerOptions): Promise<ApiServer> {
  const loops = await chooseLoops(options.loops)
  assertNodesCanBe(options, loops)
  assertAdmission(options.admission ?? {})
  await assertWritable(options.kubeconfig)
  return bringUp(options.dataDir ?? 'the data directory', async (undo) => {
    const dataDir = await dataDirOf(options, undo)
    return build({ options, dataDir, loops }, undo)
  })
}

const makesNodes = 'kubelet-node'

function assertNodesCanBe({ nodes }: ApiServerOptions, loops: ChosenLoops): void {
  if (nodes === 0 || loops.has(makesNodes)) return
  throw new DaemonUsageError(
    `--nodes ${nodes}: nodes are made and kept by loops that do not run: add --loops all, or --loops ${makesNodes},kubelet,nodelifecycle,scheduler`,
  )
}

/** Somebody's own kubeconfig is not written over. */
async function assertWritable(path: string | undefined): Promise<void> {
  if (path === undefined) return
  const text = await readFile(path, 'utf8').catch(() => undefined)
  if (text === undefined || isOwnKubeconfig(text)) return
  throw new DaemonError(`--kubeconfig: ${path} exists and was not written by homeostat; name another file`)
}

async function dataDirOf({ dataDir, ephemeral }: ApiServerOptions, undo: Undo): Promise<string> {
  if (!ephemeral && dataDir !== undefined) return dataDir
  const scratch = await makeScratch(dataDir)
  undo.push(() => scratch.remove())
  return scratch.path
}

interface Plan {
  readonly options: ApiServerOptions
  readonly dataDir: string
  readonly loops: ChosenLoops
}

async function build({ options, dataDir, loops }: Plan, undo: Undo): Promise<Omit<ApiServer, 'stop'>> {
  const { directory, store, world, serviceAccountKey, failed } = await layGround({ ...options, dataDir }, undo)
  const { nodes, instant } = options
  const access = await prepareAccess({ options, directory })
  const audit = await openAudit(options.audit, world, undo)
  const machine: Machine = createMachine({
    world,
    store,
    nodes,
    instant,
    serviceAccountKey,
    loops: ({ name }) => loops.has(name),
    extraLoops: loops.extra(world, dataDir),
    tokenUser: accessTokens(access),
    admission: admissionFor(options.admission ?? {}, loops),
    ...(audit === undefined ? {} : { wrapLoops: audited(audit, world, (question) => machine.decide(question)) }),
  })
  undo.push(() => machine.stop())
  const metrics = createMetrics({
    figures: () => machine.runtime.figures(),
    nodes: () => machine.residents.kubelet?.nodeFigures() ?? [],
    store: machine.store,
    version: programVersion,
  })
  const kube = await openKubeDoor({ options, directory, machine, world, ...(audit && { audit }) }, access, {
    onRequest: metrics.onRequest,
    texts: { '/metrics': () => metrics.render() },
  })
  undo.push(() => kube.close())
  const kubeconfig = options.kubeconfig ?? join(dataDir, 'kubeconfig')
  await writeEntry(kubeconfig, (path) => kube.writeKubeconfig(path))
  if (options.ephemeral) undo.push(() => rm(kubeconfig, { force: true }))
  machine.start()
  world.log.info('started', { api: kube.url })
  return { addresses: { server: kube.url, kubeconfig, token: kube.token }, machine, failed }
}

/** Where no loop makes service accounts, pods run in the name of nobody, unless somebody asks for it. */
function admissionFor(choice: AdmissionChoice, loops: ChosenLoops): AdmissionChoice {
  const { enable = [], disable = [] } = choice
  const wants = loops.has('serviceaccount') || enable.includes('ServiceAccount')
  return wants ? choice : { ...choice, disable: [...disable, 'ServiceAccount'] }
}

async function writeEntry(path: string, write: (path: string) => Promise<void>): Promise<void> {
  try {
    await write(path)
  } catch (cause) {
    throw new DaemonError(`cannot write the kubeconfig ${path}: ${(cause as Error).message}`, { cause })
  }
}
