// Durations and lists as Go prints them in the kubelet's messages.

const plain = (value: number): string => String(Math.round(value * 1e6) / 1e6)

/** time.Duration: `66ms`, `1.802s`, `10s`, `1m20s`, `5m0s`. */
export function goDuration(ms: number): string {
  if (ms === 0) return '0s'
  if (ms < 1) return `${plain(ms * 1000)}µs`
  if (ms < 1000) return `${plain(ms)}ms`
  const hours = Math.floor(ms / 3_600_000)
  const minutes = Math.floor((ms % 3_600_000) / 60_000)
  const seconds = plain((ms % 60_000) / 1000)
  if (hours > 0) return `${hours}h${minutes}m${seconds}s`
  return minutes > 0 ? `${minutes}m${seconds}s` : `${seconds}s`
}

/** `%v` of a list of strings: `[a b]`. */
export const goList = (values: readonly string[]): string => `[${values.join(' ')}]`

/** `%q`. */
export const goQuote = (text: string): string => JSON.stringify(text)
