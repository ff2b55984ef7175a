// Gets what the tests need beside npm packages: kubectl, helm, Chromium and git. Looks on PATH first; on Debian
// as root it installs what is missing, elsewhere it says exactly how to get it. Tests that lack a tool are skipped, saying so.

import { spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { join } from 'node:path'

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

/** kubectl or helm: on PATH, or fetched once as the daemon does it. */
async function findTool(name, { root, say }) {
  const { locateTool } = await import('../dist/gitops/tools/index.js')
  try {
    const options = { directory: join(root, '.setup/tools'), environment: process.env, say }
    return (await locateTool(name, options)).path
  } catch (error) {
    say(`tests that need ${name} are skipped: ${error.message}`)
    return undefined
  }
}

/** Environment variables that tell the tests where the tools are. */
export async function ensureTestTools({ root, say }) {
  const env = {}
  if (!works('git', ['--version']) && !(isDebianRoot() && apt(['git'], say)))
    say('git is missing: install it from https://git-scm.com')
  for (const name of ['kubectl', 'helm']) {
    const path = await findTool(name, { root, say })
    if (path !== undefined) env[`HOMEOSTAT_TEST_${name.toUpperCase()}`] = path
  }
  let chromium = findChromium()
  if (chromium === undefined && isDebianRoot() && apt(['chromium'], say)) chromium = findChromium()
  if (chromium !== undefined) env.HOMEOSTAT_TEST_CHROMIUM = chromium
  else
    say(
      'Chromium is missing; the dashboard tests are skipped. On Debian: apt-get install chromium; elsewhere set CHROMIUM_PATH',
    )
  return env
}
