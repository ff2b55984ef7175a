// What an application waits for before it is synced: others, named by `DependsOn=NAME` among its sync options (our own), which
// must be in sync and healthy, as the objects of a wave must be before the next one. A commit that concerns both goes to them
// first. What has begun is not stopped. Reads: Applications.

import { Application, dependenciesOf, dependsOnOption } from '#kinds'
import { objectKey } from '#objects'
import type { Cache, Index, Kit } from '#reconcile'
import type { Finding } from '../application/conditions.ts'
import { argocdNamespace } from '../application/names.ts'
import type { Memory } from '../observation/memory.ts'
import type { Block } from '../projects/window-gate.ts'

/** Events should come first; this only catches what none told of. */
const backstopMs = 30_000

const dependentsIndex: Index<Application> = {
  name: 'dependents',
  kind: Application,
  values: dependenciesOf,
}

/** Who may be waiting for a change of an application. */
export function dependentsOf(app: Application, old: Application | undefined, cache: Cache): readonly string[] {
  const isSame = old !== undefined && stateOf(app) === stateOf(old)
  return isSame ? [] : cache.by(dependentsIndex, objectKey(app)).map(objectKey)
}

function stateOf({ status: { sync, health, operationState } = {} }: Application): string {
  return JSON.stringify([sync?.status, sync?.revision, sync?.revisions, health?.status, operationState?.phase])
}

interface Waiting {
  readonly kit: Kit
  readonly app: Application
  readonly memory: Memory
}

/** Undefined: a sync may begin. */
export function blockOfDependencies({ kit, app, memory }: Waiting): Block | undefined {
  const lacking = dependenciesOf(app).flatMap((key) => {
    const what = lackOf(kit.cache.get(Application, key), memory.news.has(key))
    return what === undefined ? [] : [`application ${shown(key)}, which ${what}`]
  })
  const [first] = lacking
  if (first === undefined) return undefined
  const more = lacking.length === 1 ? '' : `, and ${lacking.length - 1} more`
  const message = `waiting for ${first}${more}`
  return {
    message,
    finding: { type: 'DependencyWarning', message: `Automated sync is ${message}` },
    wake: { wakeAt: kit.world.clock.now() + backstopMs },
  }
}

/** What keeps an application from being waited for no longer. */
function lackOf(app: Application | undefined, hasNews: boolean): string | undefined {
  if (app === undefined) return 'does not exist'
  const { sync, health, operationState } = app.status ?? {}
  if (operationState?.phase === 'Running' || operationState?.phase === 'Terminating') return 'is being synced'
  if (sync?.status !== 'Synced') return `is ${sync?.status ?? 'Unknown'}`
  if (health?.status !== 'Healthy') return `is ${health?.status ?? 'Unknown'}`
  return hasNews ? 'has not looked at the newest commit yet' : undefined
}

/** Who waits for one another waits for ever. */
export function dependencyFaultsOf({ kit, app }: Pick<Waiting, 'kit' | 'app'>): readonly Finding[] {
  const circle = circleOf(app, kit.cache)
  if (circle === undefined) return []
  const way = circle.map(shown).join(' → ')
  const message = `syncOptions: ${dependsOnOption}… leads in a circle: ${way}. Take it away from one of them: none of them begins a sync before`
  return [{ type: 'SyncError', message }]
}

/** The shortest way from an application to itself. */
function circleOf(app: Application, cache: Cache): readonly string[] | undefined {
  const start = objectKey(app)
  /** Each with the one that leads there; it grows while it is gone through. */
  const found = new Map<string, string | undefined>([[start, undefined]])
  for (const key of found.keys()) {
    const at = key === start ? app : cache.get(Application, key)
    for (const next of at === undefined ? [] : dependenciesOf(at)) {
      if (next === start) return [...wayTo(key, found), next]
      if (!found.has(next)) found.set(next, key)
    }
  }
  return undefined
}

function wayTo(key: string, found: ReadonlyMap<string, string | undefined>): readonly string[] {
  const way: string[] = []
  for (let at: string | undefined = key; at !== undefined; at = found.get(at)) way.unshift(at)
  return way
}

function shown(key: string): string {
  const name = key.startsWith(`${argocdNamespace}/`) ? key.slice(argocdNamespace.length + 1) : key
  return name === '' || name.endsWith('/') ? `"${name}" (${dependsOnOption} must name one)` : name
}
