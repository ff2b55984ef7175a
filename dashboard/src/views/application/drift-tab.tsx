// The drift log of one application.

import { useLoaded } from '../../api.ts'
import type { DriftEntry } from '../../own-types.ts'
import { DriftTable } from '../../parts/drift-table.tsx'
import { ErrorNotice } from '../../parts/notice.tsx'
import type { TabProps } from './tab.ts'

export function AppDrift({ application, version }: TabProps) {
  const { value, error } = useLoaded<{ items: readonly DriftEntry[] }>(
    `/homeostat/drift?application=${encodeURIComponent(application.metadata.name)}`,
    version,
  )
  return (
    <>
      <ErrorNotice error={error} />
      {value !== undefined && <DriftTable entries={value.items} withApplication={false} />}
    </>
  )
}
