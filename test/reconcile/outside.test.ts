import { describe, expect, it } from 'vitest'
import { ConfigMap } from '#kinds'
import { startMachine } from '../support/machine.ts'

describe('while virtual time waits for a process outside', () => {
  it('calls from there are refused', async () => {
    const { world, client, stop } = startMachine({ loops: () => false })
    const call = (): Promise<unknown> => client.list(ConfigMap).catch((error: Error) => error.message)
    const answer = await world.drive(() => world.clock.outside('process', call))
    expect(answer).toContain('waits for a process outside')
    expect(await client.list(ConfigMap)).toBeDefined()
    await stop()
  })
})
