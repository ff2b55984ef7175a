// What a person at the terminal wants to hear of the applications: that one is in order, or what keeps it from that.
// Says a thing once, until it changes. The lines are decided purely.

import type { Client } from '#client'
import { argocdNamespace } from '#gitops'
import { followKind } from '#http'
import { Application, Event, shownRevisions } from '#kinds'
import type { World } from '#world'

/** What was said of an application last. */
export interface Said {
  /** What is wrong with it; empty when nothing is. */
  readonly trouble: string
  /** The revision that was in order last. */
  readonly goodAt: string
}

export interface News {
  readonly said: Said
  readonly line?: string
}

const tellingWarnings: ReadonlySet<string> = new Set(['RepositoryWarning', 'RefusedResourceWarning'])
const nothingSaid: Said = { trouble: '', goodAt: '' }

export function newsOf(app: Application, before: Said = nothingSaid): News {
  const { status } = app
  const trouble = troubleOf(app)
  if (trouble !== '') return trouble === before.trouble ? { said: before } : news(app, { ...before, trouble }, trouble)
  const isGood = status?.sync?.status === 'Synced' && status.health?.status === 'Healthy' && !isBusy(app)
  const revision = shownRevisions(status?.sync)
  if (!isGood || (before.trouble === '' && before.goodAt === revision)) return { said: before }
  const place = app.spec.source?.path ?? '.'
  const line =
    (status.resources ?? []).length === 0
      ? `nothing to apply: there are no manifests in ${place === '.' || place === '' ? 'the root of the repository' : place} (folders below it are not read; --path chooses another one)`
      : `Synced and Healthy at ${revision}`
  return news(app, { trouble: '', goodAt: revision }, line)
}

/** Drift that was noted; it is trouble until the application is in order again. */
export function driftNews(event: Event, before: Said = nothingSaid): News {
  const { reason, message = '', involvedObject } = event
  if (involvedObject.kind !== 'Application' || reason !== 'DriftDetected') return { said: before }
  return {
    said: { ...before, trouble: before.trouble === '' ? 'drift' : before.trouble },
    line: `${involvedObject.name}: ${message}`,
  }
}

const news = ({ metadata }: Application, said: Said, text: string): News => ({
  said,
  line: `${metadata.name}: ${text}`,
})

const isBusy = ({ operation, status }: Application): boolean =>
  operation !== undefined || status?.operationState?.phase === 'Running'

function troubleOf({ status }: Application): string {
  const operation = status?.operationState
  const hasFailed =
    operation !== undefined &&
    (operation.phase === 'Failed' ||
      operation.phase === 'Error' ||
      (operation.phase === 'Running' && (operation.retryCount ?? 0) > 0))
  // When the next attempt is due, and how many there were, changes all the time.
  const why = (operation?.message ?? '')
    .replace(/\.? Retrying attempt #.*$/, '')
    .replace(/ \(retried \d+ times\)\.?$/, '')
  const errors = (status?.conditions ?? []).filter(
    ({ type }) => tellingWarnings.has(type) || (type.endsWith('Error') && type !== 'SyncError'),
  )
  if (errors[0] !== undefined) return errors[0].message + (errors.length > 1 ? ` (and ${errors.length - 1} more)` : '')
  if (hasFailed && status?.sync?.status !== 'Synced') return `the sync failed: ${why}`
  if (status?.health?.status !== 'Degraded') return ''
  const ill = status.resources?.find(({ health }) => health?.status === 'Degraded')
  return `Degraded${ill === undefined ? '' : `: ${ill.kind} ${ill.name}${ill.health?.message === undefined ? '' : `: ${ill.health.message}`}`}`
}

/** Tells news until the signal aborts. */
export function followNews(
  { client, world, signal }: { readonly client: Client; readonly world: World; readonly signal: AbortSignal },
  tell: (line: string) => void,
): void {
  const said = new Map<string, Said>()
  const note = (name: string, { said: now, line }: News): void => {
    said.set(name, now)
    if (line !== undefined) tell(line)
  }
  const common = { client, world, signal, namespace: argocdNamespace }
  void followKind({
    ...common,
    kind: Application,
    onEvent: ({ type, object }) => {
      const name = object.metadata.name ?? ''
      if (type === 'DELETED') said.delete(name)
      else note(name, newsOf(object, said.get(name)))
    },
  })
  void followKind({
    ...common,
    kind: Event,
    onEvent: ({ type, object }, isInitial) => {
      const name = object.involvedObject.name ?? ''
      if (type !== 'DELETED' && !isInitial) note(name, driftNews(object, said.get(name)))
    },
  })
}
