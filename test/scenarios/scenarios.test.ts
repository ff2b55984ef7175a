// Runs every transcript of this folder with the fixed seed and compares it as a whole. `npm run test:rewrite` writes what
// happened into the files: read the difference before you commit it.

import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { runScenario } from '#lab'

const folder = import.meta.dirname
const files = readdirSync(folder).filter((name) => name.endsWith('.txt'))

describe('scenarios', () => {
  it.each(files)(
    '%s',
    async (name) => {
      const path = join(folder, name)
      const { text } = await runScenario(path, readFileSync(path, 'utf8'))
      await expect(text).toMatchFileSnapshot(path)
    },
    60_000,
  )
})
