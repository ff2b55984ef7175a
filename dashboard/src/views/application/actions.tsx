// What can be done with an application: sync, refresh, delete. Switched off until the browser is signed in.

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
  const running = application.status?.operationState?.phase === 'Running'
  const disabled = !signedIn || busy
  const title = signedIn ? undefined : signInHint
  const remove = (): void => {
    if (window.confirm(`Delete ${application.metadata.name} and everything that it synced?`))
      run('DELETE', `${path}?cascade=true`)
  }
  return (
    <span className="row">
      <button
        type="button"
        className="primary"
        disabled={disabled || running}
        title={title}
        onClick={() => run('POST', `${path}/sync`, { prune: true })}
      >
        Sync
      </button>
      <button type="button" disabled={disabled} title={title} onClick={() => run('GET', `${path}?refresh=normal`)}>
        Refresh
      </button>
      <button type="button" className="danger" disabled={disabled} title={title} onClick={remove}>
        Delete
      </button>
    </span>
  )
}
