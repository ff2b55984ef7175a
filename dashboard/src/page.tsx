// The frame around every view: navigation, session, colour scheme.

import { useEffect, useState } from 'react'
import { call, useLoaded } from './api.ts'
import { SessionContext, signInHint } from './parts/session.tsx'
import { useRoute } from './route.ts'
import type { UserInfo } from './types.ts'
import { views } from './views/index.ts'

const schemes = ['auto', 'light', 'dark'] as const
type Scheme = (typeof schemes)[number]

function useScheme(): readonly [Scheme, (scheme: Scheme) => void] {
  const [scheme, setScheme] = useState<Scheme>(
    () => schemes.find((name) => name === localStorage.getItem('scheme')) ?? 'auto',
  )
  useEffect(() => {
    document.documentElement.dataset.scheme = scheme
    localStorage.setItem('scheme', scheme)
  }, [scheme])
  return [scheme, setScheme]
}

function Session({ user, changed }: { readonly user: UserInfo | undefined; readonly changed: () => void }) {
  if (user?.loggedIn !== true) return <span title={signInHint}>Read-only</span>
  return (
    <span>
      Signed in{' '}
      <button type="button" className="chip" onClick={() => call('DELETE', '/session').finally(changed)}>
        Sign out
      </button>
    </span>
  )
}

export function Page() {
  const route = useRoute()
  const [scheme, setScheme] = useScheme()
  const user = useLoaded<UserInfo>('/session/userinfo')
  const view = views.find(({ path }) => path === (route.path[0] ?? 'applications')) ?? views[0]
  const Shown = view?.show
  return (
    <SessionContext value={user.value?.loggedIn === true}>
      <div className="shell">
        <nav className="nav" aria-label="Main">
          <a className="brand" href="#/applications">
            <img src="./icon.svg" alt="" />
            Homeostat
          </a>
          {views.map(({ path, label }) => (
            <a key={path} className="item" href={`#/${path}`} aria-current={path === view?.path ? 'page' : undefined}>
              {label}
            </a>
          ))}
          <div className="foot">
            <Session user={user.value} changed={user.reload} />
            <label>
              Colours{' '}
              <select value={scheme} onChange={(event) => setScheme(event.target.value as Scheme)}>
                {schemes.map((name) => (
                  <option key={name}>{name}</option>
                ))}
              </select>
            </label>
          </div>
        </nav>
        <main>
          {user.value !== undefined && !user.value.loggedIn && (
            <div className="notice">
              <strong>Read-only.</strong> To make changes, open the sign-in link that the daemon printed when it
              started, or a fresh one: <code>homeostat dashboard</code> prints it.
            </div>
          )}
          {Shown !== undefined && <Shown path={route.path.slice(1)} query={route.query} />}
        </main>
      </div>
    </SessionContext>
  )
}
