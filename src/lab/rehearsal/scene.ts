// What is there at one moment: every application, and what is known of its objects.

import type { ManagedState } from '#gitops'
import { keyText, type ResourceKey } from '#gitops/diff'
import { type Application, PersistentVolumeClaim } from '#kinds'
import { objectKey } from '#objects'
import { applicationsOf } from './application-report.ts'
import type { Stage } from './stage.ts'

export interface SceneApp {
  readonly app: Application
  /** By `keyText`. */
  readonly states: ReadonlyMap<string, ManagedState>
}

export interface Scene {
  /** By namespace and name. */
  readonly apps: ReadonlyMap<string, SceneApp>
  readonly claims: readonly ResourceKey[]
}

export async function readScene(stage: Stage): Promise<Scene> {
  const apps = new Map<string, SceneApp>()
  for (const app of applicationsOf(stage)) {
    const states = await stage.gitops.managedResources(app)
    apps.set(objectKey(app), { app, states: new Map(states.map((state) => [keyText(state), state])) })
  }
  const claims = stage.cache.list(PersistentVolumeClaim).map(({ metadata: { namespace = '', name = '' } }) => ({
    ...{ group: '', kind: 'PersistentVolumeClaim', namespace, name },
  }))
  return { apps, claims }
}

/** The application whose git has an object, and what it has. */
export function ownersIn({ apps }: Scene): ReadonlyMap<string, { readonly app: string; readonly state: ManagedState }> {
  const owners = new Map<string, { readonly app: string; readonly state: ManagedState }>()
  for (const [app, { states }] of apps)
    for (const [id, state] of states) if (state.target !== undefined) owners.set(id, { app, state })
  return owners
}
