// Events on the Application object itself: comparisons, operations, drift.

import { useLoaded } from '../../api.ts'
import { EventTable } from '../../parts/event-table.tsx'
import { ErrorNotice } from '../../parts/notice.tsx'
import type { KubeEvent } from '../../types.ts'
import type { TabProps } from './tab.ts'

export function AppEvents({ application, version }: TabProps) {
  const { value, error } = useLoaded<{ items?: readonly KubeEvent[] | null }>(
    `/applications/${encodeURIComponent(application.metadata.name)}/events`,
    version,
  )
  return (
    <>
      <ErrorNotice error={error} />
      {value !== undefined && <EventTable events={value.items ?? []} />}
    </>
  )
}
