// The applications, kept current by the server's stream: a map by name that is replaced at most once a frame, since there
// may be thousands of them and as many changes.

import { useEffect, useMemo, useRef, useState } from 'react'
import { call, useStream } from '../api.ts'
import type { Application } from '../types.ts'

interface NameList {
  readonly items?: readonly { readonly metadata: { readonly name: string } }[] | null
}

interface ApplicationEvent {
  readonly type: string
  readonly application: Application
}

/** What the list shows of each. */
const shownFields = [
  'type',
  ...[
    'metadata.name',
    'metadata.deletionTimestamp',
    'spec.source',
    'spec.sources',
    'spec.destination',
    'status.sync.status',
    'status.sync.revision',
    'status.sync.revisions',
    'status.health',
    'status.conditions',
    'status.operationState.phase',
    'status.operationState.finishedAt',
  ].map((field) => `application.${field}`),
].map((field) => `result.${field}`)

/** All applications in order of their names; `live` says whether the stream is open. */
export function useApplications(): {
  readonly applications: readonly Application[]
  readonly loaded: boolean
  readonly live: boolean
} {
  const [byName, setByName] = useState<ReadonlyMap<string, Application>>()
  /** Changes that wait for the next frame: by name, undefined for what is gone. */
  const waiting = useRef(new Map<string, Application | undefined>())
  const frame = useRef<number>(undefined)
  const take = (): void => {
    frame.current = undefined
    const taken = waiting.current
    waiting.current = new Map()
    setByName((last) => {
      const next = new Map(last)
      for (const [name, application] of taken) {
        if (application === undefined) next.delete(name)
        else next.set(name, application)
      }
      return next
    })
  }
  useEffect(() => () => cancelAnimationFrame(frame.current ?? 0), [])
  const known = useRef<ReadonlyMap<string, Application>>(undefined)
  known.current = byName
  /** A stream tells what is there, and not what has gone while it was away, nor that there is nothing. */
  const forgetOthers = async (): Promise<void> => {
    const before = [...(known.current?.keys() ?? [])]
    const path = '/applications?fields=items.metadata.name'
    const there = await call<NameList>('GET', path).catch(() => undefined)
    if (there === undefined) return
    const names = new Set((there.items ?? []).map(({ metadata }) => metadata.name))
    const gone = new Set(before.filter((name) => !names.has(name)))
    setByName((last) => new Map([...(last ?? [])].filter(([name]) => !gone.has(name))))
  }
  const live = useStream<ApplicationEvent>(
    `/stream/applications?fields=${shownFields.join(',')}`,
    ({ type, application }) => {
      waiting.current.set(application.metadata.name, type === 'DELETED' ? undefined : application)
      frame.current ??= requestAnimationFrame(take)
    },
    () => void forgetOthers(),
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
