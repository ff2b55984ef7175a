// Where the page is: the part of the address after `#`. Links are ordinary links; the browser's back button works.

import { useSyncExternalStore } from 'react'

export interface Route {
  /** `/applications/shop` → `['applications', 'shop']`. */
  readonly path: readonly string[]
  readonly query: URLSearchParams
}

const subscribe = (changed: () => void): (() => void) => {
  window.addEventListener('hashchange', changed)
  return () => window.removeEventListener('hashchange', changed)
}

const parse = (hash: string): Route => {
  const [path = '', query = ''] = hash.replace(/^#\/?/, '').split('?')
  return {
    path: path
      .split('/')
      .filter((part) => part !== '')
      .map(decodeURIComponent),
    query: new URLSearchParams(query),
  }
}

export const useRoute = (): Route => parse(useSyncExternalStore(subscribe, () => window.location.hash))

/** An address within the page. */
export function href(path: readonly string[], query: Readonly<Record<string, string | undefined>> = {}): string {
  const search = new URLSearchParams()
  for (const [key, value] of Object.entries(query)) if (value !== undefined && value !== '') search.set(key, value)
  const text = search.toString()
  return `#/${path.map(encodeURIComponent).join('/')}${text === '' ? '' : `?${text}`}`
}

export const go = (path: readonly string[], query: Readonly<Record<string, string | undefined>> = {}): void => {
  window.location.hash = href(path, query)
}
