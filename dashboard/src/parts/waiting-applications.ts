// What each application waits for, out of what the whole cluster waits for: by itself, or held up by something else.

import { useMemo } from 'react'
import { causeOf } from '../../../src/insight/explain/finding.ts'
import { useLoaded } from '../api.ts'
import type { EverythingWaiting, Finding } from '../own-types.ts'

const everyMs = 5000
const heldUp = /^Application [^/]{1,253}\/(.{1,253})$/

export function useWaitingApplications(): ReadonlyMap<string, Finding> {
  const { value } = useLoaded<EverythingWaiting>('/homeostat/waiting', 0, everyMs)
  return useMemo(() => {
    const causes = new Map<string, Finding>()
    for (const { kind, name, findings, holdsUp, alike } of value?.items ?? []) {
      const cause = causeOf(findings)
      if (cause === undefined) continue
      if (kind === 'Application') causes.set(name, cause)
      for (const object of [...alike, ...holdsUp]) {
        const held = heldUp.exec(object)?.[1]
        if (held !== undefined) causes.set(held, cause)
      }
    }
    return causes
  }, [value])
}
