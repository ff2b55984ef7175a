// A pin: for a while an application is kept at certain revisions, whatever its sources follow (our own). Automation goes on, at
// the pinned revisions: what is edited is healed, and nobody has to turn it off to go back to what ran before. When its time is
// over, or the annotation is taken away, the application follows its sources again. Pure.

import type { Application } from '#kinds'
import { formatTime, parseTime } from '#objects'
import type { Finding } from './conditions.ts'

const pinAnnotation = 'homeostat.dev/pin'
const untilAnnotation = 'homeostat.dev/pin-until'

export interface Pin {
  /** One for each source; empty: it follows them. */
  readonly revisions: readonly string[]
  /** World time. */
  readonly until?: number
  readonly findings: readonly Finding[]
}

const none: Pin = { revisions: [], findings: [] }

/** `sources`: how many the application has. */
export function pinOf({ metadata: { annotations = {} } }: Application, sources: number, now: number): Pin {
  const text = annotations[pinAnnotation]?.trim() ?? ''
  const untilText = annotations[untilAnnotation]?.trim() ?? ''
  if (text === '') return none
  const revisions = text.split(',').map((each) => each.trim())
  if (revisions.length !== sources || revisions.includes(''))
    return faulty(
      `${pinAnnotation} must name ${sources === 1 ? 'one revision' : `${sources} revisions, one for each source`}`,
    )
  const until = untilText === '' ? undefined : parseTime(untilText)
  if (untilText !== '' && until === undefined)
    return faulty(`${untilAnnotation}: ${untilText} is no time such as 2026-12-24T18:00:00Z`)
  if (until !== undefined && until <= now) return none
  const end = until === undefined ? `as long as the annotation ${pinAnnotation} is there` : `until ${formatTime(until)}`
  return {
    revisions,
    ...(until === undefined ? {} : { until }),
    findings: [{ type: 'PinnedWarning', message: `kept at revision ${revisions.join(', ')} ${end}` }],
  }
}

/** Who cannot be understood keeps nothing back: the sources are followed, and that is told. */
const faulty = (what: string): Pin => ({
  revisions: [],
  findings: [{ type: 'PinnedWarning', message: `the annotation ${what}: it is not pinned` }],
})
