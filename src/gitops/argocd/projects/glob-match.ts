// Patterns in projects: Argo CD's globs, where a text that is no pattern matches nothing but itself. Pure.

import { compileGlob, type Glob, GlobFault } from '#gitops/render'

/** For a pattern that many texts are held against. */
export function globMatcher(pattern: string): Glob {
  if (pattern === '*') return () => true
  try {
    const glob = compileGlob(pattern)
    return (text) => text === pattern || glob(text)
  } catch (error) {
    if (!(error instanceof GlobFault)) throw error
    return (text) => text === pattern
  }
}

export const isGlobMatch = (pattern: string, text: string): boolean => pattern === text || globMatcher(pattern)(text)
