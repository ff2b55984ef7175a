// The change that `demo` suggests is one that can be made.

import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, it } from 'vitest'
import { makeDemoRepo, nextRollout } from '../../src/cli/commands/demo-repo.ts'

const folder = mkdtempSync(join(tmpdir(), 'homeostat-suggestion-'))
afterAll(() => rmSync(folder, { recursive: true }))

it('is another one once it was made, and none where there is nothing to change', async () => {
  const repository = await makeDemoRepo(folder)
  const first = await nextRollout(repository)
  if (first === undefined) throw new Error('nothing is suggested')
  const file = join(repository, first.file)
  const text = readFileSync(file, 'utf8')
  expect(text).toContain(first.from)
  writeFileSync(file, text.replaceAll(first.from, first.to))
  const second = await nextRollout(repository)
  expect(second).toMatchObject({ file: first.file, from: first.to })
  expect(second?.to).not.toBe(first.to)
  rmSync(file)
  expect(await nextRollout(repository)).toBeUndefined()
})
