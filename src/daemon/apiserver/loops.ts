// Which loops run beside the API server. The reconciler is loaded only when it is among them.

import { certificateControllers, defaultStorageClassAddon } from '#controllers'
import { readRequest, requestSigner } from '#http/kube'
import { residentLoopNames } from '#machine'
import type { LoopDefinition } from '#reconcile'
import { simulatedWorld, type World } from '#world'
import { DaemonUsageError } from '../options.ts'
import type { LoopChoice } from './options.ts'

export interface ChosenLoops {
  readonly has: (name: string) => boolean
  /** Those that the machine does not know by itself. */
  extra(world: World, dataDir: string): readonly LoopDefinition[]
}

type MakeReconciler = (world: World, directory: string) => readonly LoopDefinition[]

/** Throws DaemonUsageError for names that no loop has. */
export async function chooseLoops(choice: LoopChoice): Promise<ChosenLoops> {
  const beside = (dataDir: string): readonly LoopDefinition[] => [
    ...certificateControllers(readRequest, requestSigner(dataDir)),
    defaultStorageClassAddon,
  ]
  const own = [...residentLoopNames(), ...beside('').map(({ name }) => name)]
  const isOwn = (name: string): boolean => own.includes(name)
  const withReconciler = choice === 'all' || (choice !== 'none' && !choice.every(isOwn))
  const reconciler = withReconciler ? await loadReconciler() : () => []
  if (choice !== 'none' && choice !== 'all') {
    const theirs = reconciler(simulatedWorld('names'), '').map(({ name }) => name)
    assertKnown(choice, [...own, ...theirs])
  }
  const has = (name: string): boolean => choice === 'all' || (choice !== 'none' && choice.includes(name))
  return {
    has,
    extra: (world, dataDir) => [...beside(dataDir), ...reconciler(world, dataDir)].filter(({ name }) => has(name)),
  }
}

async function loadReconciler(): Promise<MakeReconciler> {
  const { gitopsLoops } = await import('#gitops')
  return (world, directory) => gitopsLoops({ world, directory, follow: true })
}

function assertKnown(wanted: readonly string[], known: readonly string[]): void {
  const unknown = wanted.filter((name) => !known.includes(name))
  if (unknown.length === 0) return
  const what = unknown.map((name) => JSON.stringify(name)).join(', ')
  throw new DaemonUsageError(
    `--loops: there is no loop ${what}. Give none, all, or some of: ${[...known].sort().join(', ')}`,
  )
}
