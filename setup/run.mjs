// Every npm script starts here. Plain JavaScript without dependencies, because on a fresh clone nothing is installed:
// it checks Node, installs from the lockfile and builds when something changed, says what it does, then runs the command.

import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { totalmem } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { runChild } from './child.mjs'
import { ensureTestTools } from './test-tools.mjs'

const root = dirname(dirname(fileURLToPath(import.meta.url)))
// npm runs scripts in the project's folder; paths that the user types are relative to where the user stands.
const callerFolder = process.env.INIT_CWD ?? process.cwd()
const stamps = join(root, '.setup')
const say = (text) => process.stderr.write(`homeostat: ${text}\n`)

class SetupError extends Error {}

function checkNode() {
  const [major = 0, minor = 0] = process.versions.node.split('.').map(Number)
  if (major > 20 || (major === 20 && minor >= 19)) return
  throw new SetupError(`Node ${process.versions.node} is too old: install Node 20.19 or newer (https://nodejs.org)`)
}

/** Runs a program with this terminal; resolves with its exit code. */
const run = (command, args, options = {}) => runChild(command, args, { cwd: root, stdio: 'inherit', ...options }, say)

async function must(what, command, args) {
  // Progress of set-up goes to stderr: stdout belongs to the command (its last line may be JSON).
  const code = await run(command, args, { stdio: ['ignore', 2, 2] })
  if (code !== 0) throw new SetupError(`${what} failed (exit code ${code}): the lines above say why`)
}

const hashOf = (text) => createHash('sha256').update(text).digest('hex')
const readStamp = (name) => (existsSync(join(stamps, name)) ? readFileSync(join(stamps, name), 'utf8') : '')
function writeStamp(name, value) {
  mkdirSync(stamps, { recursive: true })
  writeFileSync(join(stamps, name), value)
}

/** Paths, sizes and times of the files below some folders: changes when any of them does. */
function fingerprint(paths) {
  const lines = []
  const visit = (path) => {
    const stat = statSync(join(root, path), { throwIfNoEntry: false })
    if (stat === undefined) return
    if (stat.isDirectory()) {
      for (const name of readdirSync(join(root, path)).sort()) if (name !== 'node_modules') visit(join(path, name))
    } else lines.push(`${path} ${stat.size} ${stat.mtimeMs}`)
  }
  for (const path of paths) visit(path)
  return hashOf(lines.join('\n'))
}

const npm = process.platform === 'win32' ? 'npm.cmd' : 'npm'
const tool = (name) => join(root, 'node_modules', '.bin', process.platform === 'win32' ? `${name}.cmd` : name)

async function install() {
  const wanted = hashOf(readFileSync(join(root, 'package-lock.json')))
  if (existsSync(join(root, 'node_modules')) && readStamp('installed') === wanted) return
  say('installing packages from package-lock.json (once, about half a minute) …')
  await must('npm ci', npm, ['ci', '--no-audit', '--no-fund', '--loglevel=error'])
  writeStamp('installed', wanted)
}

async function generate() {
  const now = fingerprint([
    'facts',
    'setup/generate-types.mjs',
    'setup/generate-descriptions.mjs',
    'setup/field-texts.mjs',
    'package-lock.json',
  ])
  if (existsSync(join(root, 'src/kinds/generated/types.ts')) && readStamp('generated') === now) return
  const { generateTypes } = await import('./generate-types.mjs')
  generateTypes(root)
  if (existsSync(join(root, 'setup/generate-descriptions.mjs'))) {
    const { generateDescriptions } = await import('./generate-descriptions.mjs')
    await generateDescriptions(root)
  }
  writeStamp('generated', now)
}

async function build() {
  await install()
  await generate()
  const server = fingerprint(['src', 'facts', 'tsconfig.json', 'tsconfig.build.json', 'package.json'])
  if (readStamp('built') !== server || !existsSync(join(root, 'dist/main.js'))) {
    say('building the server …')
    if (!existsSync(join(root, 'dist/main.js'))) rmSync(join(stamps, 'build.tsbuildinfo'), { force: true })
    await must('the build', tool('tsc'), ['-p', 'tsconfig.build.json'])
    writeStamp('built', server)
  }
  const page = fingerprint(['dashboard', 'src/insight'])
  if (
    existsSync(join(root, 'dashboard/index.html')) &&
    (readStamp('page') !== page || !existsSync(join(root, 'dist/dashboard/index.html')))
  ) {
    say('building the dashboard …')
    await must('the dashboard build', tool('vite'), [
      'build',
      '--config',
      'dashboard/vite.config.ts',
      '--logLevel',
      'warn',
    ])
    writeStamp('page', page)
  }
}

/** Runs a TypeScript tool of the project (goldens, sim) from its source. */
async function runTool(file, args) {
  await build()
  return run(process.execPath, ['--import', 'tsx', '--conditions=source', join(root, file), ...args], {
    cwd: callerFolder,
  })
}

/**
 * How much memory a cluster may take: three quarters of the machine's, where Node would stop at 4 GiB or less. Objects
 * live long, so that room for young ones (64 MiB) spares copying them.
 */
const heap = [`--max-old-space-size=${Math.floor((totalmem() / 2 ** 20) * 0.75)}`, '--max-semi-space-size=64']

/** Runs a measurement on what was built: sources that are compiled as they are loaded run slower. */
async function bench(args) {
  await build()
  return run(process.execPath, [...heap, '--import', 'tsx', join(root, 'bench/main.ts'), ...args], {
    cwd: callerFolder,
  })
}

async function test(args) {
  await build()
  const env = { ...process.env, ...(await ensureTestTools({ root, say })) }
  const { runTests } = await import('./run-tests.mjs')
  return runTests({ root, vitest: tool('vitest'), args, env, run })
}

async function check() {
  await build()
  await must('type check', tool('tsc'), ['-p', 'tsconfig.json'])
  await must('type check of the dashboard', tool('tsc'), ['-p', 'dashboard/tsconfig.json'])
  await must('lint', tool('biome'), ['check', '--error-on-warnings'])
  return run(tool('vitest'), ['run', 'src', 'test/architecture'])
}

const homeostat = async (args) => {
  await build()
  return run(process.execPath, [...heap, join(root, 'dist/main.js'), ...args], { cwd: callerFolder })
}

const commands = {
  start: (args) => homeostat(['demo', ...args]),
  dev: (args) => runTool('src/main.ts', ['demo', ...args]),
  build: () => build().then(() => 0),
  check,
  test,
  'test-rewrite': (args) => test(['--update', ...args]),
  lint: (args) => install().then(() => run(tool('biome'), ['check', ...args])),
  sim: (args) => runTool('test/simulation/sweep.ts', args),
  promise: (args) => runTool('test/promise/sweep.ts', args),
  fuzz: (args) => runTool('test/fuzz/sweep.ts', args),
  bench,
  goldens: (args) => runTool('test/golden/main.ts', args),
  'goldens:kubelet': (args) => runTool('test/kubelet/main.ts', args),
}

async function main([name = 'start', ...args]) {
  const command = commands[name]
  if (command === undefined)
    throw new SetupError(`no such command: ${name} (one of ${Object.keys(commands).join(', ')})`)
  checkNode()
  return command(args)
}

main(process.argv.slice(2)).then(
  (code) => {
    process.exitCode = code
  },
  (error) => {
    say(error instanceof SetupError ? error.message : (error.stack ?? String(error)))
    process.exitCode = 1
  },
)
