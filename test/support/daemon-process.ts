// A daemon in a process of its own, for tests that speak to it over the wire: started on free ports, waited for until it
// is ready, and stopped.

import { type ChildProcess, spawn } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { request } from 'node:https'
import { join, resolve } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { parse } from 'yaml'

export interface DaemonOptions {
  readonly dataDir: string
  /** Further options of `homeostat up`, with the repository if any. */
  readonly args?: readonly string[]
  readonly command?: 'up' | 'demo'
  readonly cwd?: string
  /** Variables beside those of the tests. */
  readonly environment?: Readonly<Record<string, string>>
}

export interface Daemon {
  readonly process: ChildProcess
  readonly dataDir: string
  /** What it has printed so far, both streams. */
  readonly output: () => string
}

const root = resolve(import.meta.dirname, '../..')

/** Server and token of the kubeconfig that the daemon wrote. */
export function readKubeconfig(path: string): { readonly server: string; readonly token: string } {
  const config = parse(readFileSync(path, 'utf8')) as {
    readonly clusters: readonly { readonly cluster: { readonly server: string } }[]
    readonly users: readonly { readonly user: { readonly token: string } }[]
  }
  return { server: config.clusters[0]?.cluster.server ?? '', token: config.users[0]?.user.token ?? '' }
}

function isReady(kubeconfig: string): Promise<boolean> {
  if (!existsSync(kubeconfig)) return Promise.resolve(false)
  const { server, token } = readKubeconfig(kubeconfig)
  return new Promise((done) => {
    const get = request(
      `${server}/readyz`,
      { rejectUnauthorized: false, headers: { authorization: `Bearer ${token}` } },
      (response) => {
        response.resume()
        done(response.statusCode === 200)
      },
    )
    get.on('error', () => done(false))
    get.end()
  })
}

/** Starts `homeostat up|demo` from the build and waits until its API server says that it is ready (at most 60 s). */
export async function startDaemon(options: DaemonOptions): Promise<Daemon> {
  const usual = ['--port', '0', '--api-port', '0', '--data-dir', options.dataDir]
  const args = [options.command ?? 'up', ...usual, ...(options.args ?? [])]
  const child = spawn(process.execPath, [join(root, 'dist/main.js'), ...args], {
    stdio: ['ignore', 'pipe', 'pipe'],
    ...(options.cwd === undefined ? {} : { cwd: options.cwd }),
    env: { ...process.env, ...options.environment },
  })
  let output = ''
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding('utf8').on('data', (chunk: string) => (output += chunk))
  for (let tries = 0; tries < 600; tries++) {
    if (child.exitCode !== null) throw new Error(`the daemon ended with exit code ${child.exitCode}:\n${output}`)
    if (await isReady(join(options.dataDir, 'kubeconfig')))
      return { process: child, dataDir: options.dataDir, output: () => output }
    await delay(100)
  }
  child.kill('SIGKILL')
  throw new Error(`the daemon was not ready after 60 s:\n${output}`)
}

/** Asks the daemon to stop, and makes it after 10 s. Resolves with its exit code. */
export async function stopDaemon(daemon: Daemon, signal: NodeJS.Signals = 'SIGTERM'): Promise<number> {
  const child = daemon.process
  if (child.exitCode !== null) return child.exitCode
  const ended = new Promise<number>((done) => child.on('close', (code) => done(code ?? 128)))
  child.kill(signal)
  const limit = setTimeout(() => child.kill('SIGKILL'), 10_000)
  const code = await ended
  clearTimeout(limit)
  return code
}

export interface ApiServerProcess {
  readonly process: ChildProcess
  readonly kubeconfig: string
  /** Ends it with SIGTERM; resolves with its exit code. */
  stop(): Promise<number>
}

/** Starts `homeostat apiserver --ephemeral` from the build; it is ready when it has said where its kubeconfig is. */
export async function startApiServerProcess(...args: readonly string[]): Promise<ApiServerProcess> {
  const all = [join(root, 'dist/main.js'), 'apiserver', '--ephemeral', '-o', 'json', ...args]
  const child = spawn(process.execPath, all, { stdio: ['ignore', 'pipe', 'inherit'] })
  const ended = new Promise<number>((done) => child.on('close', (code) => done(code ?? 128)))
  const line = await new Promise<string>((done, fail) => {
    child.stdout.setEncoding('utf8').once('data', done)
    void ended.then((code) => fail(new Error(`the API server ended with exit code ${code}`)))
  })
  return {
    process: child,
    kubeconfig: (JSON.parse(line) as { readonly kubeconfig: string }).kubeconfig,
    stop() {
      child.kill('SIGTERM')
      return ended
    },
  }
}
