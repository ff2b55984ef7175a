// What the thread is asked, and what it answers: values that can be sent.

import type { Import, Target, Variable } from '#gitops/jsonnet'

export interface ProgramText {
  readonly path: string
  readonly bytes: Uint8Array
}

/** A program with all that it may read. */
export interface ProgramFiles {
  readonly main: string
  readonly files: ReadonlyMap<string, Uint8Array>
  /** By what `targetKey` makes of who imports what. */
  readonly targets: ReadonlyMap<string, Target>
  readonly extVars: readonly Variable[]
  readonly tlas: readonly Variable[]
}

export const targetKey = (from: string, path: string): string => `${from}\0${path}`

export type Question =
  | { readonly type: 'imports'; readonly texts: readonly ProgramText[] }
  | { readonly type: 'evaluate'; readonly program: ProgramFiles }

export interface Fault {
  readonly message: string
  /** The innermost first. */
  readonly frames: readonly {
    readonly path: string
    readonly line: number
    readonly column: number
    /** Place and context. */
    readonly text: string
  }[]
}

export type Answer =
  /** Of each text what it imports; of one that cannot be read nothing. */
  | { readonly type: 'imports'; readonly imports: readonly (readonly Import[])[] }
  /** JSON, one text a document. */
  | { readonly type: 'documents'; readonly documents: readonly string[] }
  | { readonly type: 'faulty'; readonly problem: Fault }
