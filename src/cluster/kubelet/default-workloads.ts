// What containers and images do when nobody says otherwise: servers run, Jobs finish, images come from their registries.
// Commands of public manifests are understood as far as they say it themselves: `sleep 5`, `exit 3`, `false`.

import type { Container, EphemeralContainer, Pod } from '#kinds'
import { containersOf } from './containers.ts'
import { type ImageReference, parseImage } from './image-reference.ts'
import { digestOf } from './images.ts'
import type { ContainerWorkload, ImageWorkload, OnSigterm, PodWorkload, Pull, Run, Workloads } from './workload.ts'

/** How long a Job works that does not say so itself. */
const jobSeconds = 1.5

const handles: OnSigterm = { exitCode: 0, afterSeconds: 0.2 }
const nothing: PodWorkload = {}

type AnyContainer = Container | EphemeralContainer

/** The words of the command, with the script of a shell taken apart. */
function scriptOf({ command = [], args = [] }: AnyContainer): string {
  const words = [...command, ...args]
  const flag = words.findIndex((word) => /^-[a-z]*c$/.test(word))
  const isShell = /(^|\/)(sh|bash|ash|dash)$/.test(words[0] ?? '')
  return isShell && flag >= 0 ? (words[flag + 1] ?? '') : words.join(' ')
}

interface Script {
  readonly seconds: number
  readonly exitCode: number | undefined
  readonly endless: boolean
  readonly output: string
}

const units: Readonly<Record<string, number>> = { s: 1, m: 60, h: 3600, d: 86_400 }

/** What can be told of a shell script without running it. */
export function readScript(script: string): Script {
  let seconds = 0
  let exitCode: number | undefined
  let output = ''
  const endless = /\bwhile\s+(true|:|\[\s*1\s*\])|\bsleep\s+inf|\btail\s+-[a-zA-Z]*[fF]/.test(script)
  for (const part of script.split(/&&|\|\||[;\n]/).map((text) => text.trim().replace(/^exec\s+/, ''))) {
    const sleep = /^sleep\s+([0-9.]+)([smhd]?)$/.exec(part)
    const exit = /^exit\s+(\d+)$/.exec(part)
    const echo = /^echo\s+(.*)$/.exec(part)
    if (sleep !== null) seconds += Number(sleep[1]) * (units[sleep[2] ?? ''] ?? 1)
    else if (echo !== null) output += `${(echo[1] ?? '').replace(/^(["'])(.*)\1$/, '$2')}\n`
    else if (part === 'true' || part === 'false') exitCode = part === 'true' ? 0 : 1
    else if (exit !== null) {
      exitCode = Number(exit[1])
      break
    }
  }
  return { seconds, exitCode, endless, output }
}

function runFor(container: AnyContainer, restartPolicy: string, isInit: boolean): Run {
  const { seconds, exitCode, endless, output } = readScript(scriptOf(container))
  const logTail = output === '' ? {} : { logTail: output }
  if (endless) return { forever: true, ...logTail }
  if (exitCode !== undefined || seconds > 0)
    return { exitCode: exitCode ?? 0, afterSeconds: seconds > 0 ? seconds : 0.1, ...logTail }
  if (isInit) return { exitCode: 0, afterSeconds: 0.3, ...logTail }
  if (restartPolicy === 'Always') return { forever: true, ...logTail }
  return { exitCode: 0, afterSeconds: jobSeconds, ...logTail }
}

/** A shell or a `sleep` as first process has no handler for SIGTERM. */
function onSigtermOf(container: AnyContainer): OnSigterm {
  const first = container.command?.[0] ?? container.args?.[0] ?? ''
  const isShell = /(^|\/)(sh|bash|ash|dash|sleep)$/.test(first)
  if (!isShell) return handles
  const trap = /trap\s+["']?(?:sleep\s+([0-9.]+)\s*;\s*)?exit\s+(\d+)["']?\s+(?:SIG)?TERM/.exec(scriptOf(container))
  return trap === null ? 'ignored' : { exitCode: Number(trap[2]), afterSeconds: 0.5 + Number(trap[1] ?? 0) }
}

const made = new WeakMap<AnyContainer, Map<string, ContainerWorkload>>()

function containerWorkload(pod: Pod, name: string): ContainerWorkload {
  const container = containersOf(pod.spec).find(({ spec }) => spec.name === name)
  if (container === undefined) return { runs: [{ forever: true }], onSigterm: handles }
  const { restartPolicy = 'Always' } = pod.spec
  const policy = container.sidecar ? 'Always' : restartPolicy
  const known = made.get(container.spec) ?? new Map<string, ContainerWorkload>()
  made.set(container.spec, known)
  const found = known.get(policy)
  if (found !== undefined) return found
  const isInit = container.kind === 'init' && !container.sidecar
  const workload: ContainerWorkload = {
    runs: [runFor(container.spec, policy, isInit)],
    lastRepeats: true,
    onSigterm: onSigtermOf(container.spec),
  }
  known.set(policy, workload)
  return workload
}

/** The names that say of themselves that there is no such image. */
const missing =
  /(^|[-_.])(missing|nonexistent|non-existent|does-not-exist|doesnotexist|not-found|notfound|no-such|broken|invalid)([-_.]|$)/i

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
  if (missing.test(tag ?? '')) return `rpc error: code = NotFound desc = ${resolve}${full}: not found`
  if (missing.test(repository.split('/').at(-1) ?? ''))
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
