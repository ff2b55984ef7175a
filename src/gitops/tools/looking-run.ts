// One run of helm, by itself or below kustomize, that may look things up: a door for it, and what it came to.

import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { openClusterDoor } from './cluster-door.ts'
import type { ClusterView, LookupQuestion } from './lookup.ts'
import { ToolFault } from './tool-fault.ts'
import type { Workspace } from './workspace.ts'

export type LookingRun =
  | {
      readonly type: 'written'
      readonly output: string
      /** What it looked up. */
      readonly used: readonly LookupQuestion[]
    }
  | { readonly type: 'refused'; readonly fault: ToolFault; readonly used: readonly LookupQuestion[] }
  /** It came to nothing: it needs to be told these as well. */
  | { readonly type: 'asked'; readonly questions: readonly LookupQuestion[] }

/** What the run finds in its environment. */
export type DoorVariables = Readonly<Record<'KUBECONFIG', string>>

/** Throws ToolFault where the run says nothing of the chart. */
export async function runLooking(
  view: ClusterView,
  { home }: Workspace,
  work: (variables: DoorVariables) => Promise<string>,
): Promise<LookingRun> {
  const KUBECONFIG = join(home, 'kubeconfig')
  const door = await openClusterDoor(view)
  try {
    await writeFile(KUBECONFIG, door.kubeconfig, { mode: 0o600 })
    const output = await work({ KUBECONFIG }).catch(refusal)
    if (door.asked.size > 0) return { type: 'asked', questions: [...door.asked.values()] }
    const used = [...door.used.values()]
    return typeof output === 'string' ? { type: 'written', output, used } : { type: 'refused', fault: output, used }
  } finally {
    await door.close()
  }
}

/** That the tool refused its input is an answer. */
function refusal(error: unknown): ToolFault {
  if (error instanceof ToolFault && error.reason === 'refused') return error
  throw error
}
