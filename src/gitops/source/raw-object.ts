// An object of a git repository as its bytes, however it is kept, and how large it may be.

import { SourceError } from './source-error.ts'

export type ObjectType = 'commit' | 'tree' | 'blob' | 'tag'

export interface RawObject {
  readonly type: ObjectType
  readonly bytes: Buffer
}

/** Files above this size are never handed out. */
export const maxFileBytes = 10 * 1024 * 1024
/** Nothing larger than this is read, whatever it is. */
export const maxObjectBytes = 128 * 1024 * 1024

export const limitOf = (type: ObjectType): number => (type === 'blob' ? maxFileBytes : maxObjectBytes)

export const tooLarge = (size: number, maxBytes: number): SourceError =>
  new SourceError('TooLarge', `the file has ${size} bytes, more than the limit of ${maxBytes}`)

export const objectTypes: ReadonlySet<string> = new Set<ObjectType>(['commit', 'tree', 'blob', 'tag'])
