// `npm run goldens -- [replay options] PATHS…`: starts a daemon on free ports the way the recordings need it (stand-in
// kubelet, five nodes), replays the cassettes against it over HTTPS and prints the counts of each area. The last line is
// `N passed, N failed`. Without PATHS it replays every cassette beside this file.

import { type ChildProcess, spawn } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { readKubeconfig, startDaemon, stopDaemon } from '../support/daemon-process.ts'

interface Result {
  readonly name: string
  readonly ok: boolean
}

const here = import.meta.dirname
const valued = new Set(['--jobs', '--json', '--timeout-scale', '--list', '--skip', '--ns-prefix'])

/** Splits the command line into options for the replay tool and absolute paths. */
function parse(args: readonly string[]): { readonly options: string[]; readonly paths: string[] } {
  const options: string[] = []
  const paths: string[] = []
  for (let i = 0; i < args.length; i++) {
    const arg = args[i] ?? ''
    if (valued.has(arg)) options.push(arg, args[++i] ?? '')
    else if (arg.startsWith('--')) options.push(arg)
    else paths.push(resolve(arg))
  }
  return { options, paths: paths.length === 0 ? [join(here, 'cassettes')] : paths }
}

function printAreas(report: string): void {
  const { results } = JSON.parse(readFileSync(report, 'utf8')) as { results: readonly Result[] }
  const areas = new Map<string, { passed: number; failed: number }>()
  for (const { name, ok } of results) {
    const area = areas.get(name.split('/')[0] ?? '') ?? { passed: 0, failed: 0 }
    if (ok) area.passed++
    else area.failed++
    areas.set(name.split('/')[0] ?? '', area)
  }
  for (const [name, { passed, failed }] of [...areas].sort()) console.log(`${name}: ${passed} passed, ${failed} failed`)
}

function exitCodeOf(child: ChildProcess): Promise<number> {
  return new Promise((done, fail) => {
    child.on('error', fail)
    child.on('close', (code) => done(code ?? 1))
  })
}

async function main(args: readonly string[]): Promise<number> {
  const { options, paths } = parse(args)
  const folder = mkdtempSync(join(tmpdir(), 'homeostat-goldens-'))
  const daemon = await startDaemon({ dataDir: folder, args: ['--ephemeral', '--kubelet', 'standin'] })
  try {
    const { server, token } = readKubeconfig(join(folder, 'kubeconfig'))
    const report = join(folder, 'report.json')
    const defaults = ['--jobs', '4', '--timeout-scale', '0.5', '--json', report]
    const replay = [
      join(here, 'replay.mjs'),
      '--server',
      server,
      '--token',
      token,
      '--insecure',
      ...defaults,
      ...options,
      ...paths,
    ]
    const child = spawn(process.execPath, replay, { stdio: ['ignore', 'pipe', 'inherit'] })
    let output = ''
    child.stdout.setEncoding('utf8').on('data', (chunk: string) => {
      output += chunk
      // The closing line is held back: it comes after the counts of the areas.
      const end = output.lastIndexOf('\n', output.length - 2) + 1
      process.stdout.write(output.slice(0, end))
      output = output.slice(end)
    })
    const code = await exitCodeOf(child)
    if (!options.includes('--json')) printAreas(report)
    process.stdout.write(output)
    return code
  } finally {
    await stopDaemon(daemon)
    rmSync(folder, { recursive: true, force: true })
  }
}

process.exitCode = await main(process.argv.slice(2))
