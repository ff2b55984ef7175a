// Drift: which field of which object was changed by whom and when, what it was and what git says, and when it was undone.

import type { DriftEntry, DriftField } from '../own-types.ts'
import { Empty } from './notice.tsx'
import { Age } from './time.tsx'

const text = (value: unknown): string =>
  value === undefined ? '(absent)' : typeof value === 'string' ? value : JSON.stringify(value)

function Field({ field }: { readonly field: DriftField }) {
  return (
    <div>
      <code>{field.path}</code>:{' '}
      <span className="mono tone-bad" style={{ background: 'none' }}>
        {text(field.live)}
      </span>{' '}
      instead of{' '}
      <span className="mono tone-good" style={{ background: 'none' }}>
        {text(field.desired)}
      </span>
      {field.manager !== undefined && (
        <span className="dim small">
          {' '}
          by {field.manager}
          {field.managerTime !== undefined && (
            <>
              {' '}
              <Age time={field.managerTime} /> ago
            </>
          )}
        </span>
      )}
    </div>
  )
}

export function DriftTable({
  entries,
  withApplication,
}: {
  readonly entries: readonly DriftEntry[]
  readonly withApplication: boolean
}) {
  if (entries.length === 0)
    return <Empty>No drift has been seen. Try: kubectl scale a Deployment that git manages.</Empty>
  return (
    <div className="scroll">
      <table className="lines" data-drift>
        <thead>
          <tr>
            <th>Seen</th>
            {withApplication && <th>Application</th>}
            <th>Object</th>
            <th>What differs from git</th>
            <th>Corrected</th>
          </tr>
        </thead>
        <tbody>
          {entries.map((entry) => (
            <tr key={`${entry.detectedAt} ${entry.application} ${entry.kind} ${entry.namespace ?? ''} ${entry.name}`}>
              <td>
                <Age time={entry.detectedAt} /> ago
              </td>
              {withApplication && (
                <td>
                  <a href={`#/applications/${encodeURIComponent(entry.application)}?tab=drift`}>{entry.application}</a>
                </td>
              )}
              <td>
                {entry.kind}{' '}
                <span className="mono">
                  {entry.namespace ? `${entry.namespace}/` : ''}
                  {entry.name}
                </span>
              </td>
              <td className="whole">
                {(entry.fields ?? []).length === 0 && (entry.change ?? '')}
                {(entry.fields ?? []).map((field) => (
                  <Field key={field.path} field={field} />
                ))}
              </td>
              <td>
                {entry.correctedAt === undefined ? (
                  <span className="badge tone-warn">not yet</span>
                ) : (
                  <>
                    <span className="narrow dim">corrected </span>
                    <Age time={entry.correctedAt} /> ago
                  </>
                )}
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  )
}
