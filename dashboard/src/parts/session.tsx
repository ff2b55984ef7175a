// Whether this browser is signed in. Without it every page can be read and nothing can be changed.

import { createContext, useContext } from 'react'

export const SessionContext = createContext(false)

export const useSignedIn = (): boolean => useContext(SessionContext)

export const signInHint = 'Read-only. To make changes, open the link that `homeostat dashboard` prints.'
