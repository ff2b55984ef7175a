// What was deployed, newest first, with a way back.

import { useState } from 'react'
import { call, useLoaded } from '../../api.ts'
import { Empty, ErrorNotice } from '../../parts/notice.tsx'
import { signInHint, useSignedIn } from '../../parts/session.tsx'
import { shownRevision } from '../../parts/sources.ts'
import { Age } from '../../parts/time.tsx'
import type { HistoryEntry } from '../../types.ts'
import type { TabProps } from './tab.ts'

const byWhom = ({ initiatedBy }: HistoryEntry): string =>
  initiatedBy?.automated === true ? 'automated' : (initiatedBy?.username ?? '')

interface CommitMessage {
  readonly author?: string
  readonly message?: string
}

/** What was said of a revision, where it is a commit that can be read. */
function Commit({ application, entry }: { readonly application: string; readonly entry: HistoryEntry }) {
  const revision = entry.revision ?? entry.revisions?.[0] ?? ''
  const path = `/applications/${encodeURIComponent(application)}/revisions/${encodeURIComponent(revision)}/metadata`
  const { value } = useLoaded<CommitMessage>(revision === '' ? undefined : path)
  if (value === undefined) return null
  return (
    <span title={value.message}>
      {value.message?.split('\n', 1)[0]}{' '}
      <span className="dim small">{value.author?.replace(/ <[^>]{0,200}>$/, '')}</span>
    </span>
  )
}

export function AppHistory({ application }: TabProps) {
  const signedIn = useSignedIn()
  const [error, setError] = useState<Error>()
  const [note, setNote] = useState('')
  const history = [...(application.status?.history ?? [])].reverse()
  if (history.length === 0) return <Empty>Nothing was deployed yet.</Empty>
  const automated = application.spec.syncPolicy?.automated
  const willSuspend = automated !== undefined && automated.enabled !== false
  const rollback = (entry: HistoryEntry): void => {
    const warning = willSuspend ? ' Automated sync is switched off, or it would undo this at once.' : ''
    if (!window.confirm(`Roll back to ${shownRevision(entry)}?${warning}`)) return
    setError(undefined)
    call('POST', `/applications/${encodeURIComponent(application.metadata.name)}/rollback`, { id: entry.id }).then(
      () => setNote(`Rolling back to ${shownRevision(entry)}.${warning}`),
      setError,
    )
  }
  return (
    <>
      <ErrorNotice error={error} />
      {note !== '' && <div className="notice warn">{note}</div>}
      <div className="scroll">
        <table className="lines" data-history>
          <thead>
            <tr>
              <th className="num">Id</th>
              <th>Revision</th>
              <th>Commit</th>
              <th>Deployed</th>
              <th>By</th>
              <th />
            </tr>
          </thead>
          <tbody>
            {history.map((entry, i) => (
              <tr key={entry.id}>
                <td className="num">{entry.id}</td>
                <td className="mono" title={(entry.revisions ?? [entry.revision ?? '']).join(' ')}>
                  {shownRevision(entry)}
                </td>
                <td>
                  <Commit application={application.metadata.name} entry={entry} />
                </td>
                <td>
                  <Age time={entry.deployedAt} /> ago
                </td>
                <td>{byWhom(entry)}</td>
                <td>
                  {i === 0 ? (
                    <span className="dim small">newest</span>
                  ) : (
                    <button
                      type="button"
                      disabled={!signedIn}
                      title={signedIn ? undefined : signInHint}
                      onClick={() => rollback(entry)}
                    >
                      Roll back
                    </button>
                  )}
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </>
  )
}
