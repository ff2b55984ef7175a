// One run of a program, bounded in time, output and memory. The program and all that it started are gone when it resolves.

import { type ChildProcess, spawn } from 'node:child_process'
import { withoutCredentialVariables } from './credential-variables.ts'
import { ToolFault } from './tool-fault.ts'

export interface ChildRequest {
  readonly command: string
  readonly arguments: readonly string[]
  readonly directory: string
  /** All of the environment: nothing is inherited. Credentials of repositories are taken out. */
  readonly environment: Readonly<Record<string, string>>
  readonly limits: Limits
  /** What it reads from stdin. */
  readonly input?: string | undefined
}

export interface Limits {
  readonly timeoutMs: number
  /** Of stdout; of stderr the first part is kept. */
  readonly outputBytes: number
  /** What each process of it may write to; 0 where that cannot be bounded. */
  readonly memoryBytes: number
}

const keptErrorBytes = 64 * 1024

/** What the program wrote to stdout. Throws ToolFault with what it wrote to stderr. */
export async function runChild(request: ChildRequest): Promise<string> {
  const { limits } = request
  const child = started(request)
  const output = new Kept(limits.outputBytes)
  const errors = new Kept(keptErrorBytes)
  child.stdout?.on('data', (chunk: Buffer) => {
    if (!output.add(chunk)) stopGroup(child)
  })
  child.stderr?.on('data', (chunk: Buffer) => errors.add(chunk))
  const { code, signal } = await ended(child)
  const said = withoutStamps(errors.text()).trim()
  if (output.overflowed)
    throw new ToolFault('stopped', `the output is larger than ${Math.floor(limits.outputBytes / 1024 / 1024)} MiB`)
  // Nobody but the time limit kills the child alone.
  if (child.killed)
    throw new ToolFault('stopped', `it was stopped (${signal}): it may take ${limits.timeoutMs / 1000} s at most`)
  if (signal !== null) throw new ToolFault('stopped', `it was ended by ${signal}${said === '' ? '' : `: ${said}`}`)
  if (code === 0) return output.text()
  if (/out of memory|cannot allocate memory/i.test(said))
    throw new ToolFault(
      'stopped',
      `it needed more memory than the ${Math.floor(limits.memoryBytes / 1024 / 1024)} MiB allowed`,
    )
  throw new ToolFault('refused', said === '' ? `it failed with exit status ${code}` : said)
}

/** Time and process, as kubectl's log tells them, would make another message of the same fault every time. */
const withoutStamps = (text: string): string =>
  text.replace(/^[EFIW]\d{4} \d\d:\d\d:\d\d\.\d{6} +\d+ [\w.-]+:\d+\] /gm, '')

/** Words or variables that are too long for the system are refused at once. */
function started(request: ChildRequest): ChildProcess {
  try {
    return start(request)
  } catch (error) {
    throw new ToolFault('refused', `it cannot be started: ${(error as Error).message}`)
  }
}

function start({ command, arguments: words, directory, environment, limits, input }: ChildRequest): ChildProcess {
  // `ulimit` is a shell's; the shell is replaced by the program. Words are passed as words: nothing is parsed again.
  const bounded = process.platform !== 'win32' && limits.memoryBytes > 0
  const [program, ...rest] = bounded
    ? [
        '/bin/sh',
        '-c',
        `ulimit -d ${Math.floor(limits.memoryBytes / 1024)} 2>/dev/null; exec "$0" "$@"`,
        command,
        ...words,
      ]
    : [command, ...words]
  const child = spawn(program ?? command, rest, {
    cwd: directory,
    env: withoutCredentialVariables(environment),
    stdio: [input === undefined ? 'ignore' : 'pipe', 'pipe', 'pipe'],
    timeout: limits.timeoutMs,
    killSignal: 'SIGKILL',
    // A group of its own, so that what it started can be stopped with it.
    detached: process.platform !== 'win32',
  })
  // A program may end before it has read everything.
  child.stdin?.on('error', () => undefined).end(input)
  return child
}

interface End {
  readonly code: number | null
  readonly signal: NodeJS.Signals | null
}

function ended(child: ChildProcess): Promise<End> {
  return new Promise((resolve, reject) => {
    child.once('error', (error) => reject(new ToolFault('stopped', `it cannot be started: ${error.message}`)))
    child.once('exit', () => stopGroup(child))
    child.once('close', (code, signal) => resolve({ code, signal }))
  })
}

function stopGroup({ pid }: ChildProcess): void {
  if (pid === undefined) return
  try {
    process.kill(process.platform === 'win32' ? pid : -pid, 'SIGKILL')
  } catch {
    // Nothing of it is left: that is what was wanted.
  }
}

/** The first bytes of a stream. */
class Kept {
  readonly #limit: number
  readonly #chunks: Buffer[] = []
  #size = 0
  overflowed = false

  constructor(limit: number) {
    this.#limit = limit
  }

  /** False when this was more than may be kept. */
  add(chunk: Buffer): boolean {
    const room = this.#limit - this.#size
    if (chunk.length > room) this.overflowed = true
    if (room > 0) this.#chunks.push(chunk.subarray(0, room))
    this.#size += Math.min(chunk.length, Math.max(room, 0))
    return !this.overflowed
  }

  text(): string {
    return Buffer.concat(this.#chunks).toString('utf8')
  }
}
