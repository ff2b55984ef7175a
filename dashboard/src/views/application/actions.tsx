// What can be done with an application: sync, or end a sync that runs; approve deletions that wait for it; refresh, delete.
// Switched off until the browser is signed in.

import { useState } from 'react'
import { call } from '../../api.ts'
import { signInHint, useSignedIn } from '../../parts/session.tsx'
import type { Application } from '../../types.ts'

export function Actions({
  application,
  onError,
}: {
  readonly application: Application
  readonly onError: (error: Error | undefined) => void
}) {
  const signedIn = useSignedIn()
  const [busy, setBusy] = useState(false)
  const path = `/applications/${encodeURIComponent(application.metadata.name)}`
  const run = (method: string, to: string, body?: object): void => {
    setBusy(true)
    onError(undefined)
    call(method, to, body)
      .catch(onError)
      .finally(() => setBusy(false))
  }
  const operation = application.status?.operationState
  const running = operation?.phase === 'Running'
  const disabled = !signedIn || busy
  const title = signedIn ? undefined : signInHint
  const remove = (): void => {
    if (window.confirm(`Delete ${application.metadata.name} and everything that it synced?`))
      run('DELETE', `${path}?cascade=true`)
  }
  const approve = (): void => {
    if (window.confirm(`Approve these deletions? ${asked}`)) run('POST', `/homeostat${path}/approval`)
  }
  const asked = askedFor(application)
  return (
    <span className="row">
      {asked !== undefined && (
        <button type="button" className="primary" disabled={disabled} title={title ?? asked} onClick={approve}>
          Approve deletion
        </button>
      )}
      {running ? (
        <button
          type="button"
          disabled={disabled}
          title={title ?? operation.message}
          onClick={() => run('DELETE', `${path}/operation`)}
        >
          Stop sync
        </button>
      ) : (
        <button
          type="button"
          className="primary"
          disabled={disabled}
          title={title}
          onClick={() => run('POST', `${path}/sync`, { prune: true })}
        >
          Sync
        </button>
      )}
      <button type="button" disabled={disabled} title={title} onClick={() => run('GET', `${path}?refresh=normal`)}>
        Refresh
      </button>
      <button type="button" className="danger" disabled={disabled} title={title} onClick={remove}>
        Delete
      </button>
    </span>
  )
}

/** A prune or a deletion that waits for a person's word. */
function askedFor({ status }: Application): string | undefined {
  const texts = [status?.operationState?.message, ...(status?.conditions ?? []).map(({ message }) => message)]
  return texts.find((text) => text !== undefined && /pruning confirmation of|approval of deleting/.test(text))
}
