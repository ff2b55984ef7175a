// Ages as kubectl's tables show them (apimachinery/pkg/util/duration.HumanDuration).

export function age(timestamp: string | undefined, nowMs: number): string {
  if (timestamp === undefined || timestamp === '') return '<unknown>'
  return humanDuration(Math.floor((nowMs - Date.parse(timestamp)) / 1000))
}

export function humanDuration(seconds: number): string {
  if (seconds < -1) return '<invalid>'
  if (seconds < 0) return '0s'
  if (seconds < 120) return `${seconds}s`
  const minutes = Math.floor(seconds / 60)
  if (minutes < 10) return withRest(minutes, 'm', seconds % 60, 's')
  if (minutes < 180) return `${minutes}m`
  const hours = Math.floor(minutes / 60)
  if (hours < 8) return withRest(hours, 'h', minutes % 60, 'm')
  if (hours < 48) return `${hours}h`
  if (hours < 192) return withRest(Math.floor(hours / 24), 'd', hours % 24, 'h')
  if (hours < 24 * 365 * 2) return `${Math.floor(hours / 24)}d`
  const years = Math.floor(hours / 24 / 365)
  if (years < 8) return withRest(years, 'y', Math.floor(hours / 24) % 365, 'd')
  return `${years}y`
}

const withRest = (whole: number, unit: string, rest: number, restUnit: string): string =>
  rest === 0 ? `${whole}${unit}` : `${whole}${unit}${rest}${restUnit}`
