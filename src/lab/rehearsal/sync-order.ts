// The order in which an application's objects were written: phases, then waves, with what became of them. Pure.

import { keyText } from '#gitops/diff'
import { waveOf } from '#gitops/sync'
import { hookWaveOf, type Pages, type TimedResult } from './diary.ts'
import type { SyncStage } from './report.ts'
import type { SceneApp } from './scene.ts'

const phases: readonly string[] = ['PreSync', 'Sync', 'PostSync', 'SyncFail']

/** Objects that were written and did not change are left out. */
export function syncOrder(
  pages: Pages,
  states: readonly (SceneApp | undefined)[],
  isShown: (result: TimedResult) => boolean,
): readonly SyncStage[] {
  const stages = new Map<string, SyncStage & { readonly objects: SyncStage['objects'][number][] }>()
  for (const result of pages.results.values()) {
    if (!isShown(result)) continue
    const phase = result.syncPhase ?? 'Sync'
    const wave = waveIn(pages, states, result)
    const key = `${phase} ${wave}`
    const stage = stages.get(key) ?? { phase, wave, atSeconds: result.atSeconds, objects: [] }
    const { group, kind, namespace, name } = result
    const what = { group, kind, namespace, name, hook: result.hookType !== undefined, result: resultText(result) }
    stage.objects.push(what)
    stages.set(key, { ...stage, atSeconds: Math.min(stage.atSeconds, result.atSeconds) })
  }
  const place = ({ phase }: SyncStage): number => phases.indexOf(phase)
  return [...stages.values()].sort((a, b) => place(a) - place(b) || a.atSeconds - b.atSeconds || a.wave - b.wave)
}

function waveIn(pages: Pages, states: readonly (SceneApp | undefined)[], result: TimedResult): number {
  if (result.hookType !== undefined) return hookWaveOf(pages, result) ?? 0
  for (const each of states) {
    const state = each?.states.get(keyText(result))
    const object = state?.target ?? state?.live
    if (object !== undefined) return waveOf(object)
  }
  return 0
}

const resultText = ({ status, hookType, hookPhase }: TimedResult): string =>
  (hookType === undefined ? status : (hookPhase ?? status)) ?? 'Unknown'
