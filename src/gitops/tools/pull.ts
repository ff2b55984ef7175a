// Fetches a packed chart from an HTTP repository or an OCI registry, with helm, and leaves it unpacked in a folder. Helm is
// told passwords by stdin and by files of its private home, not on its command line, which others can read.

import { cp, mkdir, mkdtemp, readdir, rename, rm, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { ToolFault } from './tool-fault.ts'

/** How the repository is reached. */
export interface ChartAccess {
  readonly username?: string | undefined
  readonly password?: string | undefined
  /** In PEM, as the next two. */
  readonly ca?: string | undefined
  readonly certificate?: string | undefined
  readonly key?: string | undefined
  readonly insecure?: boolean | undefined
  /** Variables that say which proxies to use, where they are not the user's. */
  readonly proxies?: Readonly<Record<string, string>> | undefined
}

export interface ChartRequest {
  /** `https://charts.example.org`, or of a registry `oci://host/path` or `host/path`. */
  readonly repository: string
  readonly chart: string
  /** A version or a range of versions; the highest that fits is taken. */
  readonly version: string
  /** Where the chart is put; what was there is replaced. */
  readonly folder: string
  readonly access?: ChartAccess
}

export interface PullPlace {
  /** Of helm. */
  readonly home: string
  /** The chart is unpacked below it. */
  readonly target: string
}

export interface HelmCommand {
  readonly words: readonly string[]
  readonly input?: string
}

/** Writes what helm needs to know, and answers its commands, one after another. */
export async function preparePull(request: ChartRequest, place: PullPlace): Promise<readonly HelmCommand[]> {
  const options = await tlsOptions(request.access ?? {}, place.home)
  const isHttp = /^https?:\/\//i.test(request.repository)
  return isHttp ? fromRepository(request, { ...place, options }) : fromRegistry(request, { ...place, options })
}

async function tlsOptions({ ca, certificate, key, insecure }: ChartAccess, home: string): Promise<readonly string[]> {
  const options = insecure === true ? ['--insecure-skip-tls-verify'] : []
  for (const [name, text] of Object.entries({ ca, cert: certificate, key })) {
    if (text === undefined) continue
    const path = join(home, `${name}.pem`)
    await writePrivate(path, text)
    options.push(`--${name}-file`, path)
  }
  return options
}

type Prepared = PullPlace & { readonly options: readonly string[] }

const repositoryName = 'source'

function fromRepository(request: ChartRequest, { target, options }: Prepared): readonly HelmCommand[] {
  const { username = '', password = '' } = request.access ?? {}
  const login = username === '' ? [] : ['--username', username, '--password-stdin']
  const add = ['repo', 'add', ...options, ...login, '--', repositoryName, request.repository]
  const name = `${repositoryName}/${request.chart}`
  return [{ words: add, input: `${password}\n` }, { words: pull(request, target, { name, options }) }]
}

async function fromRegistry(
  request: ChartRequest,
  { home, target, options }: Prepared,
): Promise<readonly HelmCommand[]> {
  const { username = '', password = '' } = request.access ?? {}
  const place = request.repository.replace(/^oci:\/\//i, '').replace(/\/+$/, '')
  if (username !== '' || password !== '') {
    const auth = Buffer.from(`${username}:${password}`).toString('base64')
    const config = { auths: { [place.split('/')[0] ?? '']: { auth } } }
    await writePrivate(join(home, 'config/helm/registry/config.json'), JSON.stringify(config))
  }
  return [{ words: pull(request, target, { name: `oci://${place}/${request.chart}`, options }) }]
}

interface Pulled {
  readonly name: string
  readonly options: readonly string[]
}

// What follows `--` is a name, whatever it begins with.
const pull = ({ version }: ChartRequest, target: string, { name, options }: Pulled): readonly string[] => [
  ...['pull', '--version', version, '--untar', '--untardir', target],
  ...options,
  ...['--', name],
]

async function writePrivate(path: string, text: string): Promise<void> {
  await mkdir(dirname(path), { recursive: true })
  await writeFile(path, text, { mode: 0o600 })
}

/** Moves the only folder below `from` to `folder`: whoever looks there sees all of a chart, or none. */
export async function takeChart(from: string, folder: string): Promise<void> {
  const [name] = (await readdir(from, { withFileTypes: true })).filter((entry) => entry.isDirectory())
  if (name === undefined) throw new ToolFault('refused', 'what was fetched holds no chart')
  await mkdir(dirname(folder), { recursive: true })
  const part = await mkdtemp(`${folder}.`)
  try {
    await cp(join(from, name.name), join(part, 'chart'), { recursive: true, verbatimSymlinks: true })
    await rm(folder, { recursive: true, force: true })
    await rename(join(part, 'chart'), folder)
  } finally {
    await rm(part, { recursive: true, force: true })
  }
}
