// Drift of all applications, newest first.

import { useLoaded } from '../api.ts'
import { DriftTable } from '../parts/drift-table.tsx'
import { ErrorNotice } from '../parts/notice.tsx'
import type { DriftEntry } from '../types.ts'

export function DriftView() {
  const { value, error } = useLoaded<{ items: readonly DriftEntry[] }>('/homeostat/drift', 0, 1000)
  return (
    <>
      <div className="bar">
        <h1>Drift</h1>
      </div>
      <p className="dim">
        Where the cluster was changed by hand: the field, who changed it and when, and when it was set back to what git
        says.
      </p>
      <ErrorNotice error={error} />
      {value !== undefined && <DriftTable entries={value.items} withApplication />}
    </>
  )
}
