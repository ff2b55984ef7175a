// Ages that stay current, with the exact time as a tooltip.

import { useEffect, useState } from 'react'

/** `42s`, `5m`, `3h`, `2d`, from an RFC 3339 time. */
export function formatAge(time: string, now: number): string {
  const seconds = Math.max(0, Math.round((now - Date.parse(time)) / 1000))
  if (seconds < 120) return `${seconds}s`
  if (seconds < 7200) return `${Math.floor(seconds / 60)}m`
  if (seconds < 172_800) return `${Math.floor(seconds / 3600)}h`
  return `${Math.floor(seconds / 86_400)}d`
}

function useNow(): number {
  const [now, setNow] = useState(() => Date.now())
  useEffect(() => {
    const timer = setInterval(() => setNow(Date.now()), 1000)
    return () => clearInterval(timer)
  }, [])
  return now
}

export function Age({ time }: { readonly time: string | undefined }) {
  const now = useNow()
  if (time === undefined || time === '') return <span className="dim">–</span>
  return (
    <time dateTime={time} title={time}>
      {formatAge(time, now)}
    </time>
  )
}

/** How long until a time: `in 4s`, `now`. */
export function Until({ time }: { readonly time: string }) {
  const seconds = Math.round((Date.parse(time) - useNow()) / 1000)
  return <time dateTime={time}>{seconds <= 0 ? 'now' : `in ${seconds}s`}</time>
}
