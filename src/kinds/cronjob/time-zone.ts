// Time zones: which ones there are, and what the clocks on the wall show there.

const canonicalNames = new Map(Intl.supportedValuesOf('timeZone').map((name) => [name.toLowerCase(), name]))

/** Whether the system knows the time zone. Names are those of files, so that case counts. */
export function isTimeZone(name: string): boolean {
  const canonical = canonicalNames.get(name.toLowerCase())
  if (canonical === undefined ? /^[a-z]/.test(name) : canonical !== name) return false
  try {
    formatterOf(name)
    return true
  } catch {
    return false
  }
}

/** How far the clocks of a time zone are ahead of UTC at an instant, in milliseconds. Throws a RangeError for an unknown zone. */
export function zoneOffsetMs(timeZone: string, at: number): number {
  if (timeZone === 'UTC' || timeZone === 'Etc/UTC') return 0
  const part = new Map(
    formatterOf(timeZone)
      .formatToParts(at)
      .map(({ type, value }) => [type, Number(value)]),
  )
  const of = (type: Intl.DateTimeFormatPartTypes): number => part.get(type) ?? 0
  const wall = Date.UTC(of('year'), of('month') - 1, of('day'), of('hour') % 24, of('minute'), of('second'))
  return wall - Math.floor(at / 1000) * 1000
}

const formatters = new Map<string, Intl.DateTimeFormat>()

// Making one takes a thousand times as long as using it.
function formatterOf(timeZone: string): Intl.DateTimeFormat {
  const known = formatters.get(timeZone)
  if (known !== undefined) return known
  const numeric = { year: 'numeric', month: 'numeric', day: 'numeric', hour: 'numeric', minute: 'numeric' } as const
  const made = new Intl.DateTimeFormat('en-US', { timeZone, hourCycle: 'h23', second: 'numeric', ...numeric })
  formatters.set(timeZone, made)
  return made
}
