// What a tool is going to be asked: made without running it, so that a result is kept by all that it depends on and an
// unchanged application runs nothing.

import { ToolFault, type WorkspaceFile } from '#gitops/tools'
import type { AnyObject } from '#objects'
import type { RenderProblem } from './directory.ts'
import { isPointerToRead, pointerMessage } from './lfs-pointer.ts'
import type { LookedUp } from './lookups.ts'
import type { TreeFile } from './tree.ts'

export interface RenderedObject {
  readonly object: AnyObject
  readonly file: string
  readonly line: number
}

export interface Content {
  readonly objects: readonly RenderedObject[]
  /** Faults; the objects are what could be read in spite of them. */
  readonly problems: readonly RenderProblem[]
  /** What was rendered may not be what was meant. */
  readonly warnings?: readonly RenderProblem[]
  /** Something was stopped and may go well the next time: this is not kept for long. */
  readonly isPassing?: boolean
  /** What it was told by the cluster. */
  readonly looked?: readonly LookedUp[]
}

export type Plan =
  | { readonly type: 'faulty'; readonly problems: readonly RenderProblem[] }
  | {
      readonly type: 'ready'
      /** Equal keys give equal results. */
      readonly key: string
      /** What was rendered once holds still, though no file has changed. */
      isCurrent?(content: Content): Promise<boolean>
      /** `before` does not hold any more. Throws ToolFault. */
      run(before?: Content): Promise<Content>
    }

export const faulty = (...problems: readonly RenderProblem[]): Plan => ({ type: 'faulty', problems })

/** Ids of files and whatever else decides, as one text. */
export const planKey = (files: Iterable<TreeFile>, ...rest: readonly unknown[]): string =>
  `${[...files].map(({ path, id }) => `${id} ${path}`).join('\n')}\n${JSON.stringify(rest)}`

/** Together never more than this: what a tool needs is a few files. */
const maxCopiedBytes = 256 * 1024 * 1024

/** Files as a workspace takes them, each in its place. Throws ToolFault for what cannot be rendered from. */
export async function readAll(
  files: Iterable<TreeFile & { readonly place?: string }>,
  prefix = '',
): Promise<WorkspaceFile[]> {
  const copies: WorkspaceFile[] = []
  let total = 0
  for (const file of files) {
    const bytes = await file.read()
    total += bytes.length
    if (total > maxCopiedBytes)
      throw new RangeError(`more than ${maxCopiedBytes / 1024 / 1024} MiB of files would have to be read`)
    if (isPointerToRead(file.path, bytes)) throw new ToolFault('refused', `${file.path}: ${pointerMessage}`)
    copies.push({ path: file.place ?? (prefix === '' ? file.path : `${prefix}/${file.path}`), bytes })
  }
  return copies
}
