// What containers and images do when nobody says otherwise: servers run, Jobs finish, images come from their registries.
// Commands of public manifests are understood as far as they say it themselves: `sleep 5`, `exit 3`, `false`.

import type { Container, EphemeralContainer, Pod, Probe } from '#kinds'
import { quantityValue } from '#objects'
import { containersOf } from '../containers/containers.ts'
import { isTalkedTo } from '../exec/talk.ts'
import { digestOf } from '../ground/digest.ts'
import { type ImageReference, parseImage } from '../workload/image-reference.ts'
import { execFault, isMissingProgram, saysMissing, startFault } from '../workload/missing-names.ts'
import type {
  ContainerWorkload,
  HookOutcome,
  ImageWorkload,
  OnSigterm,
  PodWorkload,
  ProbeKind,
  ProbeSegment,
  Pull,
  Run,
  StartError,
  UsagePoint,
  Workloads,
} from '../workload/workload.ts'
import { readScript, type Script } from './script.ts'

/** How long a Job works that does not say so itself. */
const jobSeconds = 1.5

const handles: OnSigterm = { exitCode: 0, afterSeconds: 0.2 }
const nothing: PodWorkload = {}

type AnyContainer = Container | EphemeralContainer

const shell = /(^|\/)(sh|bash|ash|dash)$/

/** The words of the command, with the script of a shell taken apart. */
function scriptOf({ command = [], args = [] }: Pick<AnyContainer, 'command' | 'args'>): string {
  const words = [...command, ...args]
  const flag = words.findIndex((word) => /^-[a-z]*c$/.test(word))
  return shell.test(words[0] ?? '') && flag >= 0 ? (words[flag + 1] ?? '') : words.join(' ')
}

function runFor(script: Script, restartPolicy: string, isInit: boolean): Run {
  const { seconds, exitCode, endless, output } = script
  const logTail = output === '' ? {} : { logTail: output }
  if (endless) return { forever: true, ...logTail }
  if (exitCode !== undefined || seconds > 0)
    return { exitCode: exitCode ?? 0, afterSeconds: seconds > 0 ? seconds : 0.1, ...logTail }
  if (isInit) return { exitCode: 0, afterSeconds: 0.3, ...logTail }
  if (restartPolicy === 'Always') return { forever: true, ...logTail }
  return { exitCode: 0, afterSeconds: jobSeconds, ...logTail }
}

/** Reads from a terminal at which nobody is, as build pods keep their containers (`cat` with `tty`). */
function waitsAtTerminal({ tty, command = [], args = [] }: AnyContainer): boolean {
  const words = [...command, ...args]
  return tty === true && words.length === 1 && /(^|\/)(cat|sh|bash|ash|dash)$/.test(words[0] ?? '')
}

/** Programs without a handler for SIGTERM, which the kernel does not deliver to such a first process. */
const deaf = /(^|\/)(sh|bash|ash|dash|sleep|tail|cat|yes)$/

function onSigtermOf(container: AnyContainer, { becomes }: Script): OnSigterm {
  const first = container.command?.[0] ?? container.args?.[0] ?? ''
  if (!deaf.test(first)) return handles
  if (shell.test(first) && becomes !== undefined && !deaf.test(becomes)) return handles
  return trapOf(scriptOf(container)) ?? 'ignored'
}

/** What a script does on SIGTERM: one that is woken from its `wait` by a trap ends with that. */
function trapOf(script: string): OnSigterm | undefined {
  const exits = /trap\s+["']?(?:sleep\s+([0-9.]+)\s*;\s*)?exit\s+(\d+)["']?\s+(?:SIG)?TERM/.exec(script)
  if (exits !== null) return { exitCode: Number(exits[2]), afterSeconds: 0.5 + Number(exits[1] ?? 0) }
  const other = /trap\s+("[^"]+"|'[^']+'|[^\s"'-]+)\s+(?:[A-Z0-9]+\s+)*(?:SIG)?TERM\b/.test(script)
  return other && /\bwait\b/.test(script) ? { exitCode: 143, afterSeconds: 0.5 } : undefined
}

const lookers = /^(.*\/)?(cat|ls|test|stat)$/

/** An exec probe: one that looks for a file which the container's script makes and removes, or a script of its own. */
function segmentsFor(probe: Probe | undefined, { files }: Script, isShell: boolean): Segments | undefined {
  const command = probe?.exec?.command
  if (command === undefined) return undefined
  const [tool = '', ...rest] = command
  if (isMissingProgram(tool)) return [{ fromSeconds: 0, result: 'error', cause: { kind: 'exec-cannot-start' } }]
  const path = rest.at(-1) ?? ''
  // What a shell's script does not make under /tmp is not there.
  const times = files.get(path) ?? (isShell && path.startsWith('/tmp/') ? [] : undefined)
  if (times === undefined || !lookers.test(tool)) return ownScript(command, probe?.timeoutSeconds ?? 1)
  const output = tool.endsWith('cat') ? `cat: can't open '${path}': No such file or directory\n` : ''
  const missing = { result: 'failure' as const, output, cause: { kind: 'exec', exitCode: 1 } }
  return [
    { fromSeconds: 0, ...missing },
    ...times.map(({ fromSeconds, exists }) =>
      exists ? { fromSeconds, result: 'success' as const } : { fromSeconds, ...missing },
    ),
  ]
}

type Segments = readonly ProbeSegment[]

/** A probe whose command says itself how it ends. */
function ownScript(command: readonly string[], timeoutSeconds: number): Segments | undefined {
  const { seconds, exitCode = 0, output } = readScript(scriptOf({ command }))
  if (seconds >= timeoutSeconds)
    return [{ fromSeconds: 0, result: 'timeout', cause: { kind: 'exec', exitCode, takesSeconds: seconds } }]
  if (exitCode === 0) return undefined
  return [{ fromSeconds: 0, result: 'failure', output, cause: { kind: 'exec', exitCode } }]
}

function probesOf(container: AnyContainer, script: Script): ContainerWorkload['probes'] {
  const { startupProbe, readinessProbe, livenessProbe } = container as Container
  if ((startupProbe ?? readinessProbe ?? livenessProbe) === undefined) return undefined
  const isShell = shell.test(container.command?.[0] ?? container.args?.[0] ?? '')
  const found: [ProbeKind, Segments | undefined][] = [
    ['startup', segmentsFor(startupProbe, script, isShell)],
    ['readiness', segmentsFor(readinessProbe, script, isShell)],
    ['liveness', segmentsFor(livenessProbe, script, isShell)],
  ]
  const known = found.filter(([, segments]) => segments !== undefined)
  return known.length === 0 ? undefined : Object.fromEntries(known)
}

/** Hooks whose commands say how long they take and how they end. */
function hooksOf({ lifecycle }: AnyContainer): ContainerWorkload['hooks'] {
  const { postStart, preStop } = lifecycle ?? {}
  const known = [
    ['postStart', hookOf(postStart?.exec?.command)],
    ['preStop', hookOf(preStop?.exec?.command)],
  ].filter(([, hook]) => hook !== undefined)
  return known.length === 0 ? undefined : Object.fromEntries(known)
}

const aYear = 365 * 86_400

function hookOf(command: readonly string[] | undefined): HookOutcome | undefined {
  if (command === undefined) return undefined
  const [program = ''] = command
  if (isMissingProgram(program)) return { result: 'error', seconds: 0, message: execFault(program) }
  const { seconds, exitCode = 0, endless, output } = readScript(scriptOf({ command }))
  if (exitCode > 0) return { result: 'error', seconds, exitCode, output }
  if (endless) return { result: 'ok', seconds: aYear }
  return seconds > 0 ? { result: 'ok', seconds } : undefined
}

/** `stress --vm-bytes 250M` and the like take what they say. */
function memoryOf(container: AnyContainer): readonly UsagePoint[] | undefined {
  const words = [...(container.command ?? []), ...(container.args ?? [])]
  const value = words[words.indexOf('--vm-bytes') + 1] ?? ''
  if (!words.includes('--vm-bytes') || !/^\d+[KMG]?$/i.test(value)) return undefined
  const bytes = quantityValue(value.toUpperCase().replace(/[KMG]$/, (unit) => `${unit}i`))
  return [{ fromSeconds: 0, value: bytes, ramp: false }]
}

/** A command that no image has cannot be started. */
function startErrorOf({ command: [program] = [] }: AnyContainer): StartError | undefined {
  if (program === undefined || !isMissingProgram(program)) return undefined
  return { message: startFault(program), exitCode: 128, reason: 'StartError', seconds: 0.1 }
}

const made = new WeakMap<AnyContainer, Map<string, ContainerWorkload>>()

function containerWorkload(pod: Pod, name: string): ContainerWorkload {
  const container = containersOf(pod.spec).find(({ spec }) => spec.name === name)
  if (container === undefined) return { runs: [{ forever: true }], onSigterm: handles }
  const { restartPolicy = 'Always' } = pod.spec
  // Ephemeral containers are never started again.
  const policy = container.sidecar ? 'Always' : container.kind === 'ephemeral' ? 'Never' : restartPolicy
  const known = made.get(container.spec) ?? new Map<string, ContainerWorkload>()
  made.set(container.spec, known)
  const talked = isTalkedTo(pod, container)
  const key = talked ? 'talked to' : policy
  const found = known.get(key)
  if (found !== undefined) return found
  const isInit = container.kind === 'init' && !container.sidecar
  const script = readScript(scriptOf(container.spec))
  const probes = probesOf(container.spec, script)
  const hooks = hooksOf(container.spec)
  const memory = memoryOf(container.spec)
  const startError = startErrorOf(container.spec)
  const workload: ContainerWorkload = {
    runs: [talked || waitsAtTerminal(container.spec) ? { forever: true } : runFor(script, policy, isInit)],
    lastRepeats: true,
    onSigterm: onSigtermOf(container.spec, script),
    ...(startError === undefined ? {} : { startError }),
    ...(probes === undefined ? {} : { probes }),
    ...(hooks === undefined ? {} : { hooks }),
    ...(memory === undefined ? {} : { memory }),
  }
  known.set(key, workload)
  return workload
}

function failureOf(image: string, { host, repository, tag, digest, full }: ImageReference): string | undefined {
  const resolve = `failed to pull and unpack image "${full}": failed to resolve reference "${full}": `
  const reference = tag ?? digest ?? 'latest'
  const scheme = host.startsWith('localhost') || host.startsWith('127.') ? 'http' : 'https'
  const request = `${resolve}failed to do request: Head "${scheme}://${host}/v2/${repository}/manifests/${reference}": `
  const [hostName = '', port = '443'] = host.split(':')
  if (/\.(invalid|test)$/.test(hostName)) return `${request}dial tcp: lookup ${hostName} on 10.96.0.10:53: no such host`
  if (hostName === 'localhost' || hostName.startsWith('127.'))
    return `${request}dial tcp 127.0.0.1:${port}: connect: connection refused`
  if (/(^|\/)private\//.test(image))
    return `${resolve}pull access denied, repository does not exist or may require authorization: server message: insufficient_scope: authorization failed`
  if (saysMissing(tag ?? '')) return `rpc error: code = NotFound desc = ${resolve}${full}: not found`
  if (saysMissing(repository.split('/').at(-1) ?? ''))
    return `${resolve}pull access denied, repository does not exist or may require authorization: server message: insufficient_scope: authorization failed`
  return undefined
}

/** A number from 0 to 1 that is always the same for the same text. */
const share = (text: string): number => Number.parseInt(digestOf(text).slice(7, 15), 16) / 2 ** 32

const images = new Map<string, ImageWorkload>()
const imageLimit = 5000

function imageWorkload(name: string): ImageWorkload {
  const known = images.get(name)
  if (known !== undefined) return known
  const reference = parseImage(name)
  const failure = reference === undefined ? undefined : failureOf(name, reference)
  const sizeBytes = Math.round((4 + 180 * share(name)) * 1_000_000)
  const pull: Pull =
    failure === undefined
      ? { seconds: Math.round(400 + 2200 * share(`${name} `)) / 1000, result: 'ok', sizeBytes }
      : { seconds: 0.35, result: 'error', message: failure }
  const workload: ImageWorkload = { sizeBytes, pulls: [pull] }
  if (images.size >= imageLimit) images.clear()
  images.set(name, workload)
  return workload
}

export const defaultWorkloads: Workloads = {
  container: containerWorkload,
  pod: () => nothing,
  image: imageWorkload,
}
