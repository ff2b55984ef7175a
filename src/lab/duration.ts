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

/** Below this, how long something took depends on the interleaving. */
export const briefMs = 20_000

/** `under 20s`, then rounded to 10 s, to a minute above ten minutes, to ten minutes above six hours. */
export function roughly(ms: number): string {
  if (ms < briefMs) return 'under 20s'
  const grainMs = ms < 600_000 ? 10_000 : ms < 21_600_000 ? 60_000 : 600_000
  return formatDuration(Math.round(ms / grainMs) * grainMs)
}
