// Whoever reads what is printed may go away before it is all there (`| head`): that does not make a failure a success.

import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { expect, it } from 'vitest'
import { temporaryDirectory } from '../gitops/git-repository.ts'
import { configMap } from './rehearsal.ts'

const main = resolve(import.meta.dirname, '../../src/main.ts')

it.each([
  ['UPPER', 1],
  ['lower', 0],
])('a check of a map named %s whose reader has gone ends with %d', async (name, code) => {
  const folder = join(temporaryDirectory('reader'), 'maps')
  mkdirSync(folder)
  writeFileSync(join(folder, 'map.yaml'), configMap(name, '1'))
  const args = ['--import', 'tsx', '--conditions=source', main, 'check', folder]
  const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] })
  child.stdout.destroy()
  expect(await once(child, 'exit')).toEqual([code, null])
  rmSync(folder, { recursive: true })
})
