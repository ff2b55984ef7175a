// Durations as people write them (`90s`, `1h30m`) and as transcripts show them: rough enough that a change of a few
// milliseconds somewhere in the machine leaves them alone.

import { UsageError } from './scenario-error.ts'

const unitMs: Readonly<Record<string, number>> = { ms: 1, s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000 }

export function parseDuration(text: string | undefined): number {
  if (text === undefined || !/^(\d+(ms|[smhd]))+$/.test(text))
    throw new UsageError(`${text ?? 'nothing'} is not a duration: write 30s, 5m, 1h30m`)
  let sum = 0
  for (const [, amount, unit] of text.matchAll(/(\d+)(ms|[smhd])/g)) sum += Number(amount) * (unitMs[unit ?? ''] ?? 0)
  return sum
}

/** `5m40s`; nothing smaller than a second. */
export function formatDuration(ms: number): string {
  const seconds = Math.round(ms / 1000)
  const parts = [
    [Math.floor(seconds / 86_400), 'd'],
    [Math.floor(seconds / 3600) % 24, 'h'],
    [Math.floor(seconds / 60) % 60, 'm'],
    [seconds % 60, 's'],
  ] as const
  const text = parts.flatMap(([amount, unit]) => (amount === 0 ? [] : [`${amount}${unit}`])).join('')
  return text === '' ? '0s' : text
}

/** Rounded to 5 s below two minutes, to 10 s below an hour, to a minute above. */
export function roughly(ms: number): string {
  const grainMs = ms < 10_000 ? 1000 : ms < 120_000 ? 5000 : ms < 3_600_000 ? 10_000 : 60_000
  return formatDuration(Math.round(ms / grainMs) * grainMs)
}
