// Events of the cluster, newest first, as kubectl describes them.

import type { KubeEvent } from '../types.ts'
import { Empty } from './notice.tsx'
import { Badge } from './status.tsx'
import { Age } from './time.tsx'

export const timeOf = (event: KubeEvent): string =>
  event.lastTimestamp ?? event.eventTime ?? event.metadata.creationTimestamp ?? ''

export function EventTable({ events }: { readonly events: readonly KubeEvent[] }) {
  if (events.length === 0) return <Empty>No events. They expire after an hour.</Empty>
  return (
    <div className="scroll">
      <table className="lines">
        <thead>
          <tr>
            <th>Last seen</th>
            <th>Type</th>
            <th>Reason</th>
            <th>Object</th>
            <th>From</th>
            <th>Message</th>
          </tr>
        </thead>
        <tbody>
          {[...events]
            .sort((a, b) => timeOf(b).localeCompare(timeOf(a)))
            .map((event) => (
              <tr key={event.metadata.name}>
                <td>
                  <Age time={timeOf(event)} />{' '}
                  {(event.count ?? 1) > 1 && <span className="dim small">×{event.count}</span>}
                </td>
                <td>
                  <Badge word={event.type} />
                </td>
                <td>{event.reason}</td>
                <td className="small">
                  {event.involvedObject.kind}/{event.involvedObject.name}
                </td>
                <td className="small dim">
                  {event.source?.component || event.reportingComponent}
                  {event.source?.host ? `, ${event.source.host}` : ''}
                </td>
                <td className="whole">{event.message}</td>
              </tr>
            ))}
        </tbody>
      </table>
    </div>
  )
}
