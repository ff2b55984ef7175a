// `npm run goldens`: starts a daemon on free ports the way the recordings need it (stand-in kubelet, five nodes), replays the
// cassettes against it over HTTPS and prints the counts of each area. The last line is `N passed, N failed`.

import { type ChildProcess, spawn } from 'node:child_process'
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { readKubeconfig, startDaemon, stopDaemon } from '../support/daemon-process.ts'
import { positive, tool, whole } from '../support/tool.ts'

interface Result {
  readonly name: string
  readonly ok: boolean
}

const here = import.meta.dirname
const { args, options } = replayed()

/** The command line; options are the replay tool's, whose defaults are ours. */
function replayed(): { readonly args: readonly string[]; readonly options: readonly string[] } {
  const command = tool('goldens', 'Replays recordings of a real 1.34 control plane against a daemon.')
    .usage('-- [options] [PATHS…]')
    .argument('[PATHS...]', 'cassettes, or folders of them; default: those of the project')
    .option('--jobs <count>', 'how many at a time', whole(1), 4)
    .option('--timeout-scale <factor>', 'waits take as many times as long', positive, 0.5)
    .option('--list <file>', 'replay only the cassettes that it names, one AREA/NAME a line')
    .option('--skip <file>', 'leave out the cassettes that it names')
    .option('--ns-prefix <prefix>', 'begin the names of namespaces with this')
    .option('--json <file>', 'write the results there, and count no areas')
    .option('--verbose', 'tell all differences, at full length')
    .parse()
  const missing = command.args.find((path) => !existsSync(path))
  if (missing !== undefined) command.error(`error: there is no ${missing}`)
  const values: Readonly<Record<string, unknown>> = command.opts()
  const given = command.options.flatMap((option) => {
    const value = values[option.attributeName()]
    return value === undefined ? [] : value === true ? [option.long ?? ''] : [option.long ?? '', String(value)]
  })
  return { args: command.args.length === 0 ? [join(here, 'cassettes')] : command.args, options: given }
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

async function main(): Promise<number> {
  const folder = mkdtempSync(join(tmpdir(), 'homeostat-goldens-'))
  const daemon = await startDaemon({ dataDir: folder, args: ['--ephemeral', '--kubelet', 'standin'] })
  try {
    const { server, token } = readKubeconfig(join(folder, 'kubeconfig'))
    const report = join(folder, 'report.json')
    const replay = [
      join(here, 'replay.mjs'),
      '--server',
      server,
      '--token',
      token,
      '--insecure',
      '--json',
      report,
      ...options,
      ...args,
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

process.exitCode = await main()
