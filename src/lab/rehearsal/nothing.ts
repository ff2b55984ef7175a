// A rehearsal of nothing: there is no such folder, or no manifest in it. That is in order, but hardly what was meant, and so
// it ends as what could not be done, whichever of the two it is.

import { isFolderFault, SourceError } from '#gitops/source'
import type { Application } from '#kinds'

export interface Played {
  /** Folder of the repository; default its root. */
  readonly path?: string
  /** Every application in the end, with how many objects it has. */
  readonly applications: readonly { readonly app: Application; readonly objects: number }[]
}

/** Throws SourceError when none of these states of the repository has anything. */
export function assertSomething(states: readonly Played[]): void {
  const faults = states.map(faultOf)
  const [first] = faults
  if (first === undefined || faults.includes(undefined)) return
  // A folder that is there in one of them is empty there.
  const fault = faults.find(({ isMissing } = first) => !isMissing) ?? first
  const who = states.length === 1 ? '' : ', in neither commit'
  throw new SourceError('PathNotFound', `${fault.text}${who}: ${fault.advice}`)
}

interface Nothing {
  readonly isMissing: boolean
  readonly text: string
  readonly advice: string
}

function faultOf({ path = '', applications }: Played): Nothing | undefined {
  const [only, ...others] = applications
  if (applications.some(({ objects }) => objects > 0) || others.length > 0) return undefined
  const messages = (only?.app.status?.conditions ?? []).map(({ message }) => message)
  const missing = messages.find(isFolderFault)
  const shown = path === '' || path === '.' ? 'the root of the repository' : path
  if (missing !== undefined)
    return {
      isMissing: true,
      text: `--path ${missing.slice(missing.indexOf(path))}`,
      advice: 'name a folder from the root of the repository, that is committed or (with --worktree) there',
    }
  if (messages.length > 0) return undefined
  return {
    isMissing: false,
    text: `there are no manifests in ${shown}`,
    advice: 'folders below it are not read, choose one with --path',
  }
}
