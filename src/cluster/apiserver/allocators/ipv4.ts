// IPv4 addresses and ranges as numbers.

import type { Span } from './pool.ts'

export function parseIpv4(text: string): number | undefined {
  const match = /^(\d{1,3})\.(\d{1,3})\.(\d{1,3})\.(\d{1,3})$/.exec(text)
  if (match === null) return undefined
  const parts = match.slice(1).map(Number)
  return parts.every((part) => part <= 255) ? parts.reduce((sum, part) => sum * 256 + part, 0) : undefined
}

export const formatIpv4 = (address: number): string =>
  [24, 16, 8, 0].map((shift) => Math.floor(address / 2 ** shift) % 256).join('.')

/** The addresses of the server's own range that can be given out. */
export function usableRange(cidr: string): Span {
  const [, length = ''] = cidr.split('/')
  const span = Number(length) >= 8 ? spanOf(cidr) : undefined
  if (span === undefined) throw new Error(`${cidr} is no IPv4 range of a usable size`)
  return span
}

/** Those of any IPv4 range: without that of the network and the last one. Undefined when there are none. */
export function spanOf(cidr: string): Span | undefined {
  const [base = '', length = ''] = cidr.split('/')
  const address = parseIpv4(base)
  const bits = Number(length)
  if (address === undefined || length === '' || !(bits >= 0 && bits <= 30)) return undefined
  const size = 2 ** (32 - bits)
  const first = Math.floor(address / size) * size
  return [first + 1, first + size - 2]
}

/** The range whose usable addresses these are. */
export const cidrOf = ([first, last]: Span): string => `${formatIpv4(first - 1)}/${32 - Math.log2(last - first + 3)}`
