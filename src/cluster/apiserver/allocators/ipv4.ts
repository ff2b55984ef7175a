// IPv4 addresses and ranges as numbers.

export function parseIpv4(text: string): number | undefined {
  const match = /^(\d{1,3})\.(\d{1,3})\.(\d{1,3})\.(\d{1,3})$/.exec(text)
  if (match === null) return undefined
  const parts = match.slice(1).map(Number)
  return parts.every((part) => part <= 255) ? parts.reduce((sum, part) => sum * 256 + part, 0) : undefined
}

export const formatIpv4 = (address: number): string =>
  [24, 16, 8, 0].map((shift) => Math.floor(address / 2 ** shift) % 256).join('.')

/** The addresses of a range that can be given out: without that of the network and the last one. */
export function usableRange(cidr: string): readonly [first: number, last: number] {
  const [base = '', length = ''] = cidr.split('/')
  const address = parseIpv4(base)
  const bits = Number(length)
  if (address === undefined || !(bits >= 8 && bits <= 30)) throw new Error(`${cidr} is no IPv4 range of a usable size`)
  const size = 2 ** (32 - bits)
  const first = Math.floor(address / size) * size
  return [first + 1, first + size - 2]
}
