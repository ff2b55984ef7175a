// `npm run goldens:kubelet -- PATHS…`: does in virtual time what was done to a real node, one recording after the other,
// and compares what the simulated kubelet makes of it. PATHS are recordings or folders of them; default: those beside
// this file. The last line is `N passed, N failed`.

import { existsSync, statSync } from 'node:fs'
import { resolve } from 'node:path'
import { faultsOf } from './attempts.ts'
import { readRecording, recordingsFolder, recordingsIn } from './recording.ts'

function pathsOf(args: readonly string[]): readonly string[] {
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

async function main(args: readonly string[]): Promise<number> {
  let failed = 0
  const paths = pathsOf(args)
  for (const path of paths) {
    const { name } = readRecording(path)
    const faults = await faultsAt(path)
    if (faults.length > 0) failed += 1
    console.log(faults.length === 0 ? `ok ${name}` : `FAIL ${name}: ${faults.join('\n  ')}`)
  }
  console.log(`${paths.length - failed} passed, ${failed} failed`)
  return failed === 0 ? 0 : 1
}

main(process.argv.slice(2)).then(
  (code) => {
    process.exitCode = code
  },
  (error) => {
    console.error(error instanceof Error ? error.message : error)
    process.exitCode = 1
  },
)
