// Durations as Go writes them (`1h30m`), with the error texts of Go's time.ParseDuration, which users see.

const unitMs: Readonly<Record<string, number>> = {
  ns: 1e-6,
  us: 1e-3,
  µs: 1e-3,
  μs: 1e-3,
  ms: 1,
  s: 1000,
  m: 60_000,
  h: 3_600_000,
}

export class DurationError extends Error {
  override readonly name = 'DurationError'
}

/** Milliseconds, below 0 where the text is. Throws a DurationError. */
export function parseGoDuration(text: string): number {
  const [, sign = '', amounts = ''] = /^([-+]?)(.*)$/s.exec(text) ?? []
  if (amounts === '0') return 0
  const quoted = JSON.stringify(text)
  if (amounts === '') throw new DurationError(`time: invalid duration ${quoted}`)
  let totalMs = 0
  for (let rest = amounts; rest !== ''; ) {
    const [part = '', amount = '', unit = ''] = /^(\d+\.?\d*|\.\d+)([^\d.]*)/.exec(rest) ?? []
    if (part === '') throw new DurationError(`time: invalid duration ${quoted}`)
    if (unit === '') throw new DurationError(`time: missing unit in duration ${quoted}`)
    const ms = unitMs[unit]
    if (ms === undefined) throw new DurationError(`time: unknown unit ${JSON.stringify(unit)} in duration ${quoted}`)
    totalMs += Number(amount) * ms
    rest = rest.slice(part.length)
  }
  return sign === '-' ? -totalMs : totalMs
}

/** Milliseconds; undefined for what is no duration, or one below 0. */
export function durationMs(text: string): number | undefined {
  try {
    const ms = parseGoDuration(text)
    return ms < 0 ? undefined : ms
  } catch {
    return undefined
  }
}
