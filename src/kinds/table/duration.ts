// Ages as `kubectl get` shows them: duration.HumanDuration of apimachinery, the largest two units that tell something.

import { parseTime } from '#objects'

const minute = 60
const hour = 3600
const day = 86_400
const year = 365 * day

const pair = (seconds: number, big: readonly [number, string], small: readonly [number, string]): string => {
  const rest = Math.floor((seconds % big[0]) / small[0])
  return `${Math.floor(seconds / big[0])}${big[1]}${rest === 0 ? '' : `${rest}${small[1]}`}`
}

export function humanDuration(milliseconds: number): string {
  const seconds = Math.trunc(milliseconds / 1000)
  if (seconds < -1) return '<invalid>'
  if (seconds < 0) return '0s'
  if (seconds < 2 * minute) return `${seconds}s`
  if (seconds < 10 * minute) return pair(seconds, [minute, 'm'], [1, 's'])
  if (seconds < 3 * hour) return `${Math.floor(seconds / minute)}m`
  if (seconds < 8 * hour) return pair(seconds, [hour, 'h'], [minute, 'm'])
  if (seconds < 2 * day) return `${Math.floor(seconds / hour)}h`
  if (seconds < 8 * day) return pair(seconds, [day, 'd'], [hour, 'h'])
  if (seconds < 2 * year) return `${Math.floor(seconds / day)}d`
  if (seconds < 8 * year) return pair(seconds, [year, 'y'], [day, 'd'])
  return `${Math.floor(seconds / year)}y`
}

/** Time since `timestamp`. */
export function age(timestamp: string | null | undefined, now: number): string {
  const at = parseTime(timestamp)
  return at === undefined ? '<unknown>' : humanDuration(now - at)
}
