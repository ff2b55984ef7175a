// How applications are at the end, and why those that are not in order are not.

import { isNotFound } from '#api'
import { findKindNamed } from '#client'
import { explain, type Finding, type Placements } from '#insight'
import { Application, type ApplicationResource, argocdNamespace, type Kind, shownRevisions } from '#kinds'
import { isInOrder } from './calm.ts'
import type { ApplicationReport, Trouble } from './report.ts'
import type { Stage } from './stage.ts'

/** Each is explained by reading what is around it. */
const explainedMax = 50
const troublesPerApplication = 20

export const shownName = ({ metadata: { namespace = argocdNamespace, name = '' } }: Application): string =>
  namespace === argocdNamespace ? name : `${namespace}/${name}`

export const applicationsOf = ({ cache }: Stage): readonly Application[] =>
  [...cache.list(Application)].sort((a, b) => (shownName(a) < shownName(b) ? -1 : 1))

export class Reporter {
  readonly #stage: Stage
  readonly #kinds = new Map<string, Promise<Kind | undefined>>()
  #explained = 0

  constructor(stage: Stage) {
    this.#stage = stage
  }

  async report(app: Application): Promise<ApplicationReport> {
    const { status = {} } = app
    const { operationState: operation, resources = [] } = status
    const failures = failuresOf(app)
    const says = (resource: ApplicationResource): number => Number(isTelling(resource) || failures.has(idOf(resource)))
    const ill = resources.filter(isIll).sort((a, b) => says(b) - says(a))
    const told = ill.slice(0, troublesPerApplication)
    const troubles: Trouble[] = []
    for (const resource of told) troubles.push(await this.#trouble(resource, failures.get(idOf(resource))))
    return {
      name: shownName(app),
      inOrder: isInOrder(app),
      revision: shownRevisions(status.sync),
      sync: status.sync?.status ?? 'Unknown',
      health: status.health?.status ?? 'Unknown',
      ...(status.health?.message === undefined ? {} : { message: status.health.message }),
      objects: resources.length,
      ...(operation === undefined ? {} : { operation: { phase: operation.phase, message: operation.message ?? '' } }),
      conditions: (status.conditions ?? []).map(({ type, message }) => ({ type, message })),
      troubles,
      moreTroubles: ill.length - told.length,
    }
  }

  async #trouble(resource: ApplicationResource, failure: string | undefined): Promise<Trouble> {
    const { group = '', kind, namespace = '', name, status, health } = resource
    const message = failure ?? health?.message ?? (resource.requiresPruning === true ? notPruned : undefined)
    return {
      ...{ group, kind, namespace, name },
      ...(status === undefined ? {} : { sync: status }),
      ...(health?.status === undefined ? {} : { health: health.status }),
      ...(message === undefined ? {} : { message }),
      findings: health?.status === 'Missing' || status === 'OutOfSync' ? [] : await this.#findings(resource),
    }
  }

  /** Of what is there and not well. */
  async #findings({ group = '', kind, namespace, name }: ApplicationResource): Promise<readonly Finding[]> {
    if (this.#explained >= explainedMax) return []
    this.#explained += 1
    const found = await this.kindOf(group, kind)
    if (found === undefined) return []
    const { machine, ask } = this.#stage
    const { scheduler } = machine.residents
    const placements: Placements = { schedulers: scheduler.names, of: (pod) => scheduler.lastAttempt(pod) }
    const ref = { ...(namespace === undefined ? {} : { namespace }), name, placements }
    return ask((client) => explain(client, found, ref)).catch((error: unknown) => {
      if (isNotFound(error)) return []
      throw error
    })
  }

  kindOf(group: string, kind: string): Promise<Kind | undefined> {
    const text = `${kind.toLowerCase()}${group === '' ? '' : `.${group}`}`
    const known = this.#kinds.get(text) ?? this.#stage.ask((client) => findKindNamed(client, text))
    this.#kinds.set(text, known)
    return known
  }
}

interface Named {
  readonly group?: string
  readonly kind: string
  readonly namespace?: string
  readonly name: string
}

const idOf = ({ group = '', kind, namespace = '', name }: Named): string => `${group}/${kind} ${namespace}/${name}`

/** What the last sync could not do, in its words. */
const failuresOf = ({ status }: Application): ReadonlyMap<string, string> =>
  new Map(
    (status?.operationState?.syncResult?.resources ?? []).flatMap((result): readonly [string, string][] =>
      result.status === 'SyncFailed' ? [[idOf(result), result.message ?? 'the sync failed']] : [],
    ),
  )

const isTelling = ({ status, health, requiresPruning }: ApplicationResource): boolean =>
  status === 'Synced' || health?.message !== undefined || requiresPruning === true

const notPruned = 'git has it no longer, and nothing prunes it'

/** Applications tell of themselves. */
function isIll({ group, kind, status, health }: ApplicationResource): boolean {
  if (group === 'argoproj.io' && kind === 'Application' && status === 'Synced') return false
  const isWell = health?.status === undefined || ['Healthy', 'Suspended'].includes(health.status)
  return status !== 'Synced' || !isWell
}
