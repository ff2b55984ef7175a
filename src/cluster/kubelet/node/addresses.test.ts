import { describe, expect, it } from 'vitest'
import type { Pod } from '#kinds'
import { IpPool } from './addresses.ts'

const pod = (ip: string, phase = 'Running', startTime = '2026-01-01T00:00:00Z'): Pod =>
  ({ status: { podIP: ip, phase, startTime } }) as Pod

const pool = (shown: readonly Pod[], used: readonly string[] = []): IpPool =>
  new IpPool('10.244.1.0/24', { shown: () => shown, used: () => used })

const hosts = (from: number, to: number): readonly string[] =>
  Array.from({ length: to - from + 1 }, (_, i) => `10.244.1.${from + i}`)

describe('IpPool', () => {
  it('gives addresses in turn from .2 to .254 and then those that nobody has any more', () => {
    const used: string[] = []
    const ips = pool([], used)
    for (const ip of hosts(2, 254)) {
      expect(ips.take()).toBe(ip)
      used.push(ip)
    }
    expect(ips.take()).toBeUndefined()
    used.splice(used.indexOf('10.244.1.7'), 1)
    expect(ips.take()).toBe('10.244.1.7')
  })

  it('gives none that a pod shows which is not over, or that something runs with', () => {
    const shown = [pod('10.244.1.2'), pod('10.244.1.3', 'Succeeded'), ...hosts(5, 254).map((ip) => pod(ip))]
    expect(pool(shown).take()).toBe('10.244.1.3')
    expect(pool(shown, ['10.244.1.3']).take()).toBe('10.244.1.4')
    expect(pool(shown, ['10.244.1.3', '10.244.1.4']).take()).toBeUndefined()
  })

  it.each([
    ['is the first without pods', [], '10.244.1.2'],
    [
      'comes behind the youngest pod',
      [pod('10.244.1.9', 'Failed', '2026-01-02T00:00:00Z'), pod('10.244.1.20')],
      '10.244.1.10',
    ],
    ['comes behind the last of those that began together', [pod('10.244.1.5'), pod('10.244.1.4')], '10.244.1.6'],
    ['comes behind .254 at the beginning again', [pod('10.244.1.254')], '10.244.1.2'],
    ['has nothing to do with the addresses of hosts', [pod('172.18.0.3')], '10.244.1.2'],
  ] as const)('after a restart the next one %s', (_name, shown, next) => {
    expect(pool(shown).take()).toBe(next)
  })
})
