// What each application waits for, out of what the whole cluster waits for: by itself, or held up by something else.

import { useMemo } from 'react'
import { useLoaded } from '../api.ts'
import type { EverythingWaiting, Finding } from '../own-types.ts'

const everyMs = 5000
const heldUp = /^Application [^/]{1,253}\/(.{1,253})$/

export function useWaitingApplications(): ReadonlyMap<string, readonly Finding[]> {
  const { value } = useLoaded<EverythingWaiting>('/homeostat/waiting', 0, everyMs)
  return useMemo(() => {
    const chains = new Map<string, readonly Finding[]>()
    for (const { kind, name, findings, holdsUp, alike } of value?.items ?? []) {
      if (kind === 'Application') chains.set(name, findings)
      for (const object of [...alike, ...holdsUp]) {
        const held = heldUp.exec(object)?.[1]
        if (held !== undefined) chains.set(held, findings)
      }
    }
    return chains
  }, [value])
}
