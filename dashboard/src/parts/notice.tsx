// What is shown when there is nothing to show, or when something went wrong.

import type { ReactNode } from 'react'

export function Empty({ children }: { readonly children: ReactNode }) {
  return <div className="empty">{children}</div>
}

export function ErrorNotice({ error }: { readonly error: Error | undefined }) {
  return error === undefined ? null : <Notice>{error.message}</Notice>
}

export function Notice({ children }: { readonly children: ReactNode }) {
  return (
    <div className="notice bad" role="alert">
      {children}
    </div>
  )
}
