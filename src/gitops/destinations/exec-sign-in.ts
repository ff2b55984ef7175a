// Signs in at a cluster by a command: runs it when its credential is wanted first, shortly before that ends, and when the server
// has refused it. One run at a time serves all requests; it is bounded, and one that fails is not repeated at once, however
// many requests come. Lives in real time, as certificates and tokens do.

import type { Credential, ExecCommand, SignIn } from '#client'
import { findProgram, runChild, ToolFault } from '#gitops/tools'
import { execInfo, readCredential, type Signed } from './exec-credential.ts'

const limits = { timeoutMs: 30_000, outputBytes: 1024 * 1024, memoryBytes: 0 }
/** A command that has just run is not run again, whatever it gave. */
const pauseMs = 5000
/** A credential is renewed so long before its end, or earlier than that by a tenth of its life. */
const earlyMs = 60_000
const longestText = 500

export interface ExecSignInOptions {
  readonly exec: ExecCommand
  /** Of whoever started this process. */
  readonly environment: Readonly<Record<string, string | undefined>>
  /** Real time. */
  readonly now: () => number
}

interface Run {
  readonly startedAt: number
  readonly outcome: Promise<Signed>
  /** Undefined while it runs. */
  result?: Signed | Error
}

export class ExecSignIn implements SignIn {
  readonly #options: ExecSignInOptions
  #run: Run | undefined
  #refused: Credential | undefined

  constructor(options: ExecSignInOptions) {
    this.#options = options
  }

  async credential(signal: AbortSignal): Promise<Credential> {
    const run = this.#run !== undefined && this.#isGood(this.#run) ? this.#run : this.#start()
    return (await within(run.outcome, signal)).credential
  }

  refused(credential: Credential): void {
    this.#refused = credential
  }

  /** What must not be told to anybody. */
  get secrets(): readonly string[] {
    const result = this.#run?.result
    return result === undefined || result instanceof Error ? [] : [result.credential.token ?? ''].filter(Boolean)
  }

  #isGood({ startedAt, result }: Run): boolean {
    const now = this.#options.now()
    if (result === undefined || now - startedAt < pauseMs) return true
    if (result instanceof Error || result.credential === this.#refused) return false
    const { expiresAt } = result
    return expiresAt === undefined || now < expiresAt - Math.min(earlyMs, (expiresAt - startedAt) / 10)
  }

  #start(): Run {
    const run: Run = { startedAt: this.#options.now(), outcome: signIn(this.#options) }
    run.outcome.then(
      (signed) => {
        run.result = signed
      },
      (error: Error) => {
        run.result = error
      },
    )
    this.#run = run
    return run
  }
}

/** A request may end while others wait on. */
async function within<T>(outcome: Promise<T>, signal: AbortSignal): Promise<T> {
  signal.throwIfAborted()
  let stop = (): void => undefined
  const ended = new Promise<never>((_resolve, reject) => {
    stop = () => reject(signal.reason)
    signal.addEventListener('abort', stop)
  })
  try {
    return await Promise.race([outcome, ended])
  } finally {
    signal.removeEventListener('abort', stop)
  }
}

async function signIn({ exec, environment }: ExecSignInOptions): Promise<Signed> {
  const fault = (text: string): Error => new Error(`signing in by the command ${exec.command} failed: ${text}`)
  const program = findProgram(exec.command, environment['PATH'])
  if (program === undefined)
    throw fault(['there is no such program on PATH', exec.installHint].filter(Boolean).join('. '))
  const inherited = Object.entries(environment).filter((each): each is [string, string] => each[1] !== undefined)
  try {
    const read = readCredential(
      await runChild({
        command: program,
        arguments: exec.arguments,
        directory: environment['HOME'] ?? '/',
        environment: {
          ...Object.fromEntries(inherited),
          ...exec.environment,
          KUBERNETES_EXEC_INFO: execInfo(exec),
        },
        limits,
      }),
    )
    if (typeof read === 'string') throw fault(read)
    return read
  } catch (error) {
    throw error instanceof ToolFault ? fault(withoutSecrets(error.message, exec)) : error
  }
}

const shortestSecret = 6

/** What a command complains of may name what it was given. */
function withoutSecrets(text: string, { arguments: words, environment }: ExecCommand): string {
  const given = [...Object.values(environment), ...words.filter((word) => !word.startsWith('-'))]
  const told = text.slice(-longestText * 4)
  return given
    .filter((each) => each.length >= shortestSecret)
    .reduce((rest, secret) => rest.replaceAll(secret, '******'), told)
    .slice(-longestText)
}
