// What can be done with a resource: a button for each action, and a line of fields first for one that wants to know something.
// Switched off until the browser is signed in.

import { type FormEvent, useState } from 'react'
import { call, useLoaded } from '../../api.ts'
import { ErrorNotice } from '../../parts/notice.tsx'
import { signInHint, useSignedIn } from '../../parts/session.tsx'
import type { ResourceAction, ResourceRef } from '../../types.ts'

interface ActionsProps {
  readonly appPath: string
  readonly reference: ResourceRef
  readonly version: number
}

const fieldsOf = ({ group = '', version = '', kind, namespace = '', name }: ResourceRef) => ({
  group,
  version,
  kind,
  namespace,
  resourceName: name,
})

export function ResourceActions({ appPath, reference, version }: ActionsProps) {
  const signedIn = useSignedIn()
  const [busy, setBusy] = useState(false)
  const [error, setError] = useState<Error>()
  const [asking, setAsking] = useState<ResourceAction>()
  const path = `${appPath}/resource/actions`
  const listed = useLoaded<{ actions?: readonly ResourceAction[] | null }>(
    `${path}?${new URLSearchParams(fieldsOf(reference))}`,
    version,
    2000,
  )
  const run = (action: ResourceAction, values: Readonly<Record<string, string>>): void => {
    setBusy(true)
    setError(undefined)
    setAsking(undefined)
    const resourceActionParameters = Object.entries(values).map(([name, value]) => ({ name, value }))
    call('POST', `${path}/v2`, { ...fieldsOf(reference), action: action.name, resourceActionParameters })
      .then(listed.reload)
      .catch(setError)
      .finally(() => setBusy(false))
  }
  const actions = listed.value?.actions ?? []
  return (
    <>
      {actions.length > 0 && (
        <span className="row" data-actions="">
          {actions.map((action) => (
            <button
              key={action.name}
              type="button"
              disabled={!signedIn || busy || action.disabled === true}
              title={signedIn ? undefined : signInHint}
              onClick={() => (action.params === undefined ? run(action, {}) : setAsking(action))}
            >
              {action.displayName ?? action.name}
            </button>
          ))}
        </span>
      )}
      {asking !== undefined && <Parameters action={asking} onRun={(values) => run(asking, values)} />}
      <ErrorNotice error={error ?? listed.error} />
    </>
  )
}

function Parameters({
  action,
  onRun,
}: {
  readonly action: ResourceAction
  readonly onRun: (values: Readonly<Record<string, string>>) => void
}) {
  const { params = [], displayName = action.name } = action
  const submit = (event: FormEvent<HTMLFormElement>): void => {
    event.preventDefault()
    const sent = new FormData(event.currentTarget)
    onRun(Object.fromEntries(params.map(({ name }) => [name, String(sent.get(name) ?? '')])))
  }
  return (
    <form className="row" onSubmit={submit}>
      {params.map((param) => (
        <label key={param.name}>
          {param.name} <input name={param.name} defaultValue={param.default ?? ''} />
        </label>
      ))}
      <button type="submit" className="primary">
        Run {displayName}
      </button>
    </form>
  )
}
