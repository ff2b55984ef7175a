// The log of a pod's container, followed while it is shown.

import { useEffect, useRef, useState } from 'react'
import { useStream } from '../../api.ts'
import type { ResourceRef } from '../../types.ts'

interface LogEntry {
  readonly content?: string
  readonly timeStampStr?: string
  readonly last?: boolean
}

/** Older lines are dropped: a page is no log archive. */
const linesKept = 2000

function LogLines({ path }: { readonly path: string }) {
  const [lines, setLines] = useState<readonly string[]>([])
  const end = useRef<HTMLDivElement>(null)
  const live = useStream<LogEntry>(
    path,
    (entry) => {
      if (entry.content !== undefined && entry.last !== true)
        setLines((last) => [...last.slice(1 - linesKept), entry.content ?? ''])
    },
    () => setLines([]),
  )
  // biome-ignore lint/correctness/useExhaustiveDependencies: every new line scrolls to the end.
  useEffect(() => {
    // In braces: newer browsers answer with a promise, which is no clean-up.
    end.current?.scrollIntoView({ block: 'nearest' })
  }, [lines])
  return (
    <pre className="code" data-logs>
      {lines.length === 0 ? (live ? 'No lines yet.' : 'Connecting …') : lines.join('\n')}
      <div ref={end} />
    </pre>
  )
}

export function Logs({
  appPath,
  pod,
  containers,
}: {
  readonly appPath: string
  readonly pod: ResourceRef
  readonly containers: readonly string[]
}) {
  const [chosen, setChosen] = useState<string>()
  const container = chosen ?? containers[0]
  if (container === undefined) return <p className="dim">Loading …</p>
  const query = new URLSearchParams({
    namespace: pod.namespace ?? '',
    podName: pod.name,
    container,
    tailLines: '500',
    follow: 'true',
  })
  return (
    <>
      {containers.length > 1 && (
        <p>
          <label>
            Container{' '}
            <select value={container} onChange={(event) => setChosen(event.target.value)}>
              {containers.map((name) => (
                <option key={name}>{name}</option>
              ))}
            </select>
          </label>
        </p>
      )}
      <LogLines key={container} path={`${appPath}/logs?${query}`} />
    </>
  )
}
