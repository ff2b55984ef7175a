// Runs a command in a container (exec) or joins what the container itself runs (attach). The profile's answer comes first,
// then the shell of simulated containers; nothing is ever run on the machine that simulates them. Errors are those of a
// kubelet and its runtime.

import type { SessionStreams } from '#api'
import { matchesGlob } from '#objects'
import type { World } from '#world'
import { type ContainerRecord, containersOf, runningRecord } from '../containers/containers.ts'
import { endContainer } from '../ending/ending.ts'
import type { PodRun } from '../pod/pod-run.ts'
import { programFault } from '../workload/missing-names.ts'
import { isShell, programOf } from './commands.ts'
import { type ContainerSite, type PodDisk, stateOf, surroundingsOf } from './container-view.ts'
import type { Process } from './process.ts'
import { runShell } from './shell.ts'
import { StreamInput } from './streams.ts'
import { commandOf, isTalkedTo } from './talk.ts'
import { Terminal } from './terminal.ts'

export interface CommandRequest {
  readonly container: string
  /** Absent: what the container runs is joined. */
  readonly command?: readonly string[]
  readonly stdin: boolean
  readonly tty: boolean
}

export interface CommandSurroundings {
  readonly world: World
  readonly signal: AbortSignal
  /** What the container writes from now on. */
  readonly follow: (signal: AbortSignal) => AsyncIterable<string>
  /** Has the pod looked at. */
  readonly wake: () => void
}

const killed = 137

const disks = new WeakMap<PodRun, PodDisk>()

function diskOf(run: PodRun): PodDisk {
  const disk = disks.get(run) ?? { containers: new Map(), volumes: new Map() }
  disks.set(run, disk)
  // What was written to a container that is no more is gone with it.
  for (const id of disk.containers.keys()) if (run.record(id) === undefined) disk.containers.delete(id)
  return disk
}

/** Answers the exit code; throws what the client is told when nothing could be run. */
export async function runCommand(
  run: PodRun | undefined,
  request: CommandRequest,
  streams: SessionStreams,
  around: CommandSurroundings,
): Promise<number> {
  if (run === undefined) throw new Error('unable to upgrade connection: pod does not exist')
  const silence = run.around.runtimeTrouble()
  if (silence !== undefined) throw new Error(`unable to upgrade connection: ${silence.message}`)
  const container = containersOf(run.pod.spec).find(({ spec }) => spec.name === request.container)
  const record = runningRecord(run.records, request.container)
  if (container === undefined || record === undefined)
    throw new Error(`unable to upgrade connection: container not found (${JSON.stringify(request.container)})`)
  const site: ContainerSite = { run, container, record, disk: diskOf(run), world: around.world }
  // Who has joined the container itself sees it end, and no more.
  const { command } = request
  return untilEnd(site, { signal: around.signal, code: command === undefined ? 0 : killed }, (signal) =>
    command === undefined
      ? attached(site, request, streams, { ...around, signal })
      : executed(site, { ...request, command }, streams, signal),
  )
}

/** Whatever runs in a container ends with it, with this code. */
async function untilEnd(
  { run, record }: ContainerSite,
  { signal, code }: { readonly signal: AbortSignal; readonly code: number },
  work: (signal: AbortSignal) => Promise<number>,
): Promise<number> {
  const gone = new AbortController()
  const ended = new Promise<number>((resolve) => {
    run.exitOf(record.id).whenOpen(() => resolve(code))
    signal.addEventListener('abort', () => resolve(killed), { once: true })
  })
  const working = work(AbortSignal.any([signal, gone.signal]))
  try {
    return await Promise.race([working, ended])
  } finally {
    gone.abort(new Error('the container has ended'))
    working.catch(() => {})
  }
}

async function executed(
  site: ContainerSite,
  request: CommandRequest & { readonly command: readonly string[] },
  streams: SessionStreams,
  signal: AbortSignal,
): Promise<number> {
  const { run, record, world } = site
  const { command } = request
  const [name = ''] = command
  const { exec = [] } = run.around.workloads.container(run.pod, record.name)
  const line = command.join(' ')
  const told = exec.find((one) => matchesGlob(one.command, line))
  if (told !== undefined) {
    await world.clock.sleep((told.seconds ?? 0) * 1000, signal)
    if (told.stdout !== undefined) await streams.write('stdout', bytesOf(told.stdout, request.tty))
    if (told.stderr !== undefined)
      await streams.write(request.tty ? 'stdout' : 'stderr', bytesOf(told.stderr, request.tty))
    return told.exitCode ?? 0
  }
  const process = processFor(site, request, streams, signal)
  if (isShell(name)) return runShell(process)
  const program = programOf(name)
  if (program !== undefined) return program(process)
  throw notStarted(record, faultOf(name, process))
}

function faultOf(name: string, { around }: Process): string {
  if (!name.includes('/')) return programFault(name)
  const quoted = JSON.stringify(name)
  if (around.files.isFolder(name)) return `exec: ${quoted}: is a directory`
  return around.files.exists(name) ? `exec: ${quoted}: permission denied` : programFault(name)
}

/** The runtime's words, the kubelet's around them. */
const notStarted = ({ id }: ContainerRecord, fault: string): Error =>
  new Error(
    `Internal error occurred: error executing command in container: failed to exec in container: failed to start exec "${id.replace(/^\w+:\/\//, '')}": OCI runtime exec failed: exec failed: unable to start container process: ${fault}: unknown`,
  )

const bytesOf = (text: string, tty: boolean): Buffer => Buffer.from(tty ? text.replace(/\r?\n/g, '\r\n') : text, 'utf8')

function processFor(
  site: ContainerSite,
  { command = [], tty }: CommandRequest,
  streams: SessionStreams,
  signal: AbortSignal,
): Process {
  const common = { args: command, around: surroundingsOf(site), state: stateOf(site), signal }
  if (tty) {
    const terminal = new Terminal(streams.stdin, (bytes) => streams.write('stdout', bytes))
    common.state.env.set('TERM', 'xterm')
    return { ...common, stdin: terminal, stdout: terminal, stderr: terminal, terminal }
  }
  const output = (stream: 'stdout' | 'stderr') => ({
    write: (bytes: Uint8Array | string) =>
      streams.write(stream, typeof bytes === 'string' ? Buffer.from(bytes, 'utf8') : bytes),
  })
  return { ...common, stdin: new StreamInput(streams.stdin), stdout: output('stdout'), stderr: output('stderr') }
}

/** What waits for its client runs now, and the container ends with it; of all else the output is shown as it comes. */
async function attached(
  site: ContainerSite,
  request: CommandRequest,
  streams: SessionStreams,
  { signal, follow, wake, world }: CommandSurroundings,
): Promise<number> {
  const { run, container, record } = site
  if (request.stdin && isTalkedTo(run.pod, container)) {
    const code = await executed(site, { ...request, command: commandOf(container.spec) }, streams, signal)
    signal.throwIfAborted()
    run.agenda.advance(world.clock.now())
    endContainer(run, record.id, code)
    wake()
    return 0
  }
  for await (const text of follow(signal)) await streams.write('stdout', bytesOf(text, request.tty))
  return 0
}
