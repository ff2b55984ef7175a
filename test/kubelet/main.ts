// `npm run goldens:kubelet`: does in virtual time what was done to a real node, one recording after the other, and compares
// what the simulated kubelet makes of it. The last line is `N passed, N failed`.

import { existsSync, statSync } from 'node:fs'
import { resolve } from 'node:path'
import { tool } from '../support/tool.ts'
import { faultsOf } from './attempts.ts'
import { readRecording, recordingsFolder, recordingsIn } from './recording.ts'

const { args } = tool('goldens:kubelet', 'Replays recordings of a real 1.34 node in virtual time.')
  .usage('-- [PATHS…]')
  .argument('[PATHS...]', 'recordings, or folders of them; default: those of the project')
  .parse()

function pathsOf(): readonly string[] {
  const given = args.length === 0 ? [recordingsFolder] : args.map((arg) => resolve(arg))
  return given.flatMap((path) => {
    if (!existsSync(path)) throw new Error(`there is no ${path}`)
    return statSync(path).isDirectory() ? recordingsIn(path) : [path]
  })
}

async function faultsAt(path: string): Promise<readonly string[]> {
  try {
    return await faultsOf(readRecording(path))
  } catch (error) {
    return [error instanceof Error ? error.message : String(error)]
  }
}

async function main(): Promise<number> {
  let failed = 0
  const paths = pathsOf()
  for (const path of paths) {
    const { name } = readRecording(path)
    const faults = await faultsAt(path)
    if (faults.length > 0) failed += 1
    console.log(faults.length === 0 ? `ok ${name}` : `FAIL ${name}: ${faults.join('\n  ')}`)
  }
  console.log(`${paths.length - failed} passed, ${failed} failed`)
  return failed === 0 ? 0 : 1
}

main().then(
  (code) => {
    process.exitCode = code
  },
  (error) => {
    console.error(error instanceof Error ? error.message : error)
    process.exitCode = 1
  },
)
