// The applications, kept current by the server's stream: a map by name that is replaced at each change.

import { useMemo, useState } from 'react'
import { useStream } from '../api.ts'
import type { Application } from '../types.ts'

interface ApplicationEvent {
  readonly type: string
  readonly application: Application
}

/** All applications in order of their names; `live` says whether the stream is open. */
export function useApplications(): {
  readonly applications: readonly Application[]
  readonly loaded: boolean
  readonly live: boolean
} {
  const [byName, setByName] = useState<ReadonlyMap<string, Application>>()
  const live = useStream<ApplicationEvent>(
    '/stream/applications',
    ({ type, application }) =>
      setByName((last) => {
        const next = new Map(last)
        if (type === 'DELETED') next.delete(application.metadata.name)
        else next.set(application.metadata.name, application)
        return next
      }),
    () => setByName((last) => last && new Map()),
  )
  const applications = useMemo(
    () => [...(byName?.values() ?? [])].sort((a, b) => a.metadata.name.localeCompare(b.metadata.name)),
    [byName],
  )
  return { applications, loaded: byName !== undefined, live }
}

/** One application, or undefined while it is loading or when there is none of that name. */
export function useApplication(name: string): {
  readonly application: Application | undefined
  readonly version: number
  readonly gone: boolean
  readonly live: boolean
} {
  const [state, setState] = useState<{ application?: Application; version: number; gone: boolean }>({
    version: 0,
    gone: false,
  })
  const live = useStream<ApplicationEvent>(
    `/stream/applications?name=${encodeURIComponent(name)}`,
    ({ type, application }) => {
      if (application.metadata.name !== name) return
      setState((last) =>
        type === 'DELETED'
          ? { version: last.version + 1, gone: true }
          : { application, version: last.version + 1, gone: false },
      )
    },
  )
  return { application: state.application, version: state.version, gone: state.gone, live }
}
