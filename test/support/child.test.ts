// What npm scripts run ends as if it had been run by itself.

import { describe, expect, it } from 'vitest'
// @ts-expect-error: set-up is plain JavaScript, since nothing is built before it
import { runChild } from '../../setup/child.mjs'

async function ended(script: string): Promise<{ readonly code: number; readonly said: readonly string[] }> {
  const said: string[] = []
  const code = (await runChild(process.execPath, ['-e', script], { stdio: 'ignore' }, (text: string) =>
    said.push(text),
  )) as number
  return { code, said }
}

describe('a program that npm runs', () => {
  it('hands its exit code on, without a word', async () => {
    expect(await ended('process.exit(3)')).toEqual({ code: 3, said: [] })
  })

  it('that crashes in native code is told of, by the signal that ended it', async () => {
    const { code, said } = await ended('process.kill(process.pid, "SIGSEGV")')
    expect(code).toBe(139)
    expect(said).toEqual([expect.stringMatching(/^ended by SIGSEGV: started again it/)])
  })
})
