// Durations as Go writes them (`1m30s`, `1.5h`, `500ms`): what configuration files and annotations of Kubernetes hold.

const unitMs: Readonly<Record<string, number>> = {
  ns: 1e-6,
  us: 1e-3,
  µs: 1e-3,
  ms: 1,
  s: 1000,
  m: 60_000,
  h: 3_600_000,
}

const whole = /^(\d+\.?\d*|\.\d+)(ns|us|µs|ms|s|m|h)((\d+\.?\d*|\.\d+)(ns|us|µs|ms|s|m|h))*$/
const part = /(\d+\.?\d*|\.\d+)(ns|us|µs|ms|s|m|h)/g

/** In milliseconds; undefined for what is no duration. */
export function durationMs(text: string): number | undefined {
  if (text === '0') return 0
  if (!whole.test(text)) return undefined
  let total = 0
  for (const [, amount, unit] of text.matchAll(part)) total += Number(amount) * (unitMs[unit ?? ''] ?? 0)
  return total
}
