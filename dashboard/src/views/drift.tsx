// Drift of all applications, newest first.

import { useLoaded } from '../api.ts'
import type { DriftEntry } from '../own-types.ts'
import { DriftTable } from '../parts/drift-table.tsx'
import { ErrorNotice } from '../parts/notice.tsx'

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
