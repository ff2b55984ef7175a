// The sync windows of the application's project that concern it; no card where there are none.

import { useLoaded } from '../../api.ts'
import { Badge } from '../../parts/status.tsx'
import type { SyncWindow, SyncWindows } from '../../types.ts'
import type { TabProps } from './tab.ts'

/** Windows open and close although nothing changes. */
const everyMs = 15_000

const windowText = ({ kind = '', schedule = '', duration = '' }: SyncWindow): string =>
  `${kind} ${schedule} for ${duration}`

export function WindowsCard({ application, version }: TabProps) {
  const path = `/applications/${encodeURIComponent(application.metadata.name)}/syncwindows`
  const { value } = useLoaded<SyncWindows>(path, version, everyMs)
  const windows = value?.assignedWindows ?? []
  if (windows.length === 0) return null
  const open = new Set((value?.activeWindows ?? []).map(windowText))
  return (
    <section className="card" data-card="windows">
      <h3>Sync windows</h3>
      <span>
        <Badge word={value?.status} />
      </span>
      {[...new Set(windows.map(windowText))].map((text) => (
        <span key={text} className="small">
          <span className="mono">{text}</span> {open.has(text) && <span className="dim">open</span>}
        </span>
      ))}
    </section>
  )
}
