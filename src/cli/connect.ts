// Finds the running daemon: `<data-dir>/kubeconfig` names the API server, the token and (as an extension that kubectl
// ignores) the dashboard, whose REST interface the `app` commands use.

import { existsSync, readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { parse } from 'yaml'
import { CommandError, exitCode } from './exit-code.ts'
import type { Terminal } from './terminal.ts'
import { whyUnread } from './unread.ts'

export interface ConnectOptions {
  readonly dataDir?: string
}

export interface DaemonApi {
  /** Sends a request to the dashboard's REST interface and returns its JSON; failures are CommandErrors. */
  call<T>(method: 'GET' | 'POST' | 'DELETE' | 'PATCH', path: string, body?: object): Promise<T>
  readonly kubeconfig: string
  /** Address of the dashboard: `http://127.0.0.1:7080`. */
  readonly dashboard: string
}

interface Kubeconfig {
  readonly clusters?: readonly {
    readonly cluster: {
      readonly extensions?: readonly { readonly name: string; readonly extension: { readonly dashboard?: string } }[]
    }
  }[]
  readonly users?: readonly { readonly user: { readonly token?: string } }[]
}

/** The data directory: --data-dir, HOMEOSTAT_DATA_DIR, or `.homeostat` in the current folder. */
export function dataDirOf(terminal: Terminal, option: string | undefined): string {
  if (option === '') throw new CommandError('--data-dir is an empty text: give a folder', exitCode.usage)
  return resolve(terminal.cwd, option ?? (terminal.env.HOMEOSTAT_DATA_DIR || '.homeostat'))
}

/** Where kubectl and helm are kept once they have been fetched: they outlive a data directory. */
export function toolsDirectory({ env, cwd }: Terminal): string {
  const cache = env.XDG_CACHE_HOME || (env.HOME === undefined ? resolve(cwd, '.cache') : join(env.HOME, '.cache'))
  return join(cache, 'homeostat', 'tools')
}

function readConnection({ path, text }: { readonly path: string; readonly text: string }): {
  readonly dashboard: string
  readonly token: string
} {
  let config: Kubeconfig | null = null
  try {
    config = parse(text) as Kubeconfig | null
  } catch {
    // Told below: it is none of ours.
  }
  const extension = config?.clusters?.[0]?.cluster.extensions?.find(({ name }) => name === 'homeostat')
  const dashboard = extension?.extension.dashboard
  const token = config?.users?.[0]?.user.token
  if (extension !== undefined && dashboard === undefined)
    throw new CommandError(
      `${path} is of an API server alone (homeostat apiserver), which has no dashboard to ask: use kubectl, or start "homeostat up"`,
    )
  if (dashboard === undefined || token === undefined)
    throw new CommandError(`${path} was not written by homeostat: name the daemon's --data-dir`)
  return { dashboard, token }
}

function parseAnswer(text: string, dashboard: string): unknown {
  try {
    return text === '' ? {} : JSON.parse(text)
  } catch (cause) {
    throw new CommandError(`what answers at ${dashboard} is not homeostat: is the daemon still running?`, undefined, {
      cause,
    })
  }
}

/** The file that the daemon wrote for its clients. */
export function readKubeconfigFor(terminal: Terminal, options: ConnectOptions): { path: string; text: string } {
  const path = join(dataDirOf(terminal, options.dataDir), 'kubeconfig')
  if (!existsSync(path))
    throw new CommandError(
      `no daemon found: ${path} does not exist. Start one with "homeostat up REPO", or name its --data-dir`,
    )
  try {
    return { path, text: readFileSync(path, 'utf8') }
  } catch (cause) {
    throw new CommandError(`cannot read ${path}: ${whyUnread(cause)}`, undefined, { cause })
  }
}

/** A connection to the daemon that owns the data directory. */
export function connect(terminal: Terminal, options: ConnectOptions): DaemonApi {
  const file = readKubeconfigFor(terminal, options)
  const { dashboard, token } = readConnection(file)
  return {
    kubeconfig: file.path,
    dashboard,
    async call<T>(method: string, path: string, body?: object): Promise<T> {
      const response = await fetch(`${dashboard}/api/v1${path}`, {
        method,
        headers: {
          authorization: `Bearer ${token}`,
          ...(body === undefined ? {} : { 'content-type': 'application/json' }),
        },
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      }).catch((cause: unknown) => {
        throw new CommandError(`the daemon at ${dashboard} does not answer: is it still running?`, undefined, { cause })
      })
      const text = await response.text()
      const value = parseAnswer(text, dashboard)
      if (!response.ok)
        throw new CommandError((value as { message?: string }).message ?? `HTTP ${response.status} from ${dashboard}`)
      return value as T
    },
  }
}
