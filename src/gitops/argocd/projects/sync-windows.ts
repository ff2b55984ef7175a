// Whether the sync windows of a project let an application be synced: Argo CD's rules. A deny window that is open wins over
// everything; else an open allow window allows; else, if there are allow windows, all are shut. Pure.

import type { Application, AppProject, SyncWindow } from '#kinds'
import { isGlobMatch } from './glob-match.ts'
import { WindowFault, type WindowState, type WindowTimes, windowTimes } from './sync-window.ts'

export interface SyncRequest {
  /** By a person. */
  readonly manual: boolean
  readonly now: number
  /** Of the operation that is under way. */
  readonly startedAt?: number
}

export interface WindowVerdict {
  readonly allowed: boolean
  /** What is wrong with the windows. Then nothing is synced. */
  readonly fault?: string
  /** World time at which the verdict may be another. */
  readonly changesAt?: number
  /** The windows that keep automated syncs away: open deny windows, or allow windows of which none is open. */
  readonly keptBy: readonly SyncWindow[]
}

export interface AssignedWindow {
  readonly window: SyncWindow
  readonly open: boolean
}

/** A window as people are told of it. */
export const windowText = ({ kind = '', schedule = '', duration = '' }: SyncWindow): string =>
  `${kind}:${schedule}:${duration}`

export function decideSync(project: AppProject, app: Application, request: SyncRequest): WindowVerdict {
  const windows = windowsOf(project).filter(({ window }) => isFor(window, app))
  if (windows.length === 0) return { allowed: true, keptBy: [] }
  const fault = windows.find((each) => each.fault !== undefined)
  if (fault !== undefined) return { allowed: false, fault: faultText(project, fault), keptBy: [fault.window] }
  const states = windows.map((each) => statesAt(each, request.now))
  const ends = states.flatMap(({ until }) => until ?? [])
  return {
    allowed: isAllowed(states, request.manual) || runsOver(windows, states, request),
    keptBy: keepersOf(states),
    ...(ends.length === 0 ? {} : { changesAt: Math.min(...ends) }),
  }
}

/** So many changes are looked through for the next time at which a sync is allowed. */
const mostChanges = 200

/** World time at which an automated sync is allowed again; undefined when that is not in sight. */
export function nextAllowedAt(project: AppProject, app: Application, now: number): number | undefined {
  let at = now
  for (let changes = 0; changes < mostChanges; changes++) {
    const { allowed, changesAt } = decideSync(project, app, { manual: false, now: at })
    if (allowed) return at
    if (changesAt === undefined) return undefined
    at = changesAt
  }
  return undefined
}

/** In a few words, as `argocd app get` has it. */
export function windowWord(
  project: AppProject,
  app: Application,
  now: number,
): 'Sync Allowed' | 'Manual Allowed' | 'Sync Denied' {
  if (decideSync(project, app, { manual: false, now }).allowed) return 'Sync Allowed'
  return decideSync(project, app, { manual: true, now }).allowed ? 'Manual Allowed' : 'Sync Denied'
}

/** The windows that concern an application. Those that cannot be understood are never open. */
export const assignedWindows = (project: AppProject, app: Application, now: number): readonly AssignedWindow[] =>
  windowsOf(project).flatMap(({ window, times }) =>
    isFor(window, app) ? [{ window, open: times?.stateAt(now).open === true }] : [],
  )

/** Those of a project that are open, whomever they concern. */
export const openWindows = (project: AppProject, now: number): readonly SyncWindow[] =>
  windowsOf(project).flatMap(({ window, times }) => (times?.stateAt(now).open === true ? [window] : []))

/** What is wrong with the windows of a project, one line each. */
export const windowFaults = (project: AppProject): readonly string[] =>
  windowsOf(project).flatMap(({ window, index, fault }) => {
    const text =
      fault ??
      (hasTargets(window) ? undefined : `window ${quoted(window)} requires one of application, cluster or namespace`)
    return text === undefined ? [] : [`spec.syncWindows[${index}]: ${text}`]
  })

const quoted = ({ kind = '', schedule = '', duration = '' }: SyncWindow): string =>
  `'${kind}':'${schedule}':'${duration}'`

interface ReadWindow {
  readonly window: SyncWindow
  readonly index: number
  readonly times?: WindowTimes
  readonly fault?: string
}

const read = new WeakMap<AppProject, readonly ReadWindow[]>()

function windowsOf(project: AppProject): readonly ReadWindow[] {
  const known = read.get(project)
  if (known !== undefined) return known
  const made = (project.spec.syncWindows ?? []).map((window, index): ReadWindow => {
    try {
      return { window, index, times: windowTimes(window) }
    } catch (error) {
      if (error instanceof WindowFault) return { window, index, fault: error.message }
      throw error
    }
  })
  read.set(project, made)
  return made
}

const faultText = (project: AppProject, { index, fault = '' }: ReadWindow): string =>
  `invalid sync windows: ${fault} (spec.syncWindows[${index}] of AppProject ${project.metadata.name ?? ''})`

const hasTargets = ({ applications = [], clusters = [], namespaces = [] }: SyncWindow): boolean =>
  applications.length + clusters.length + namespaces.length > 0

function isFor(window: SyncWindow, { metadata, spec: { destination } }: Application): boolean {
  const { applications = [], clusters = [], namespaces = [] } = window
  const cluster = [destination.name ?? '', destination.server ?? ''].filter((text) => text !== '')
  const fits = (patterns: readonly string[], texts: readonly string[]): boolean | undefined =>
    patterns.length === 0 ? undefined : patterns.some((pattern) => texts.some((text) => isGlobMatch(pattern, text)))
  const answers = [
    fits(applications, [metadata.name ?? '']),
    fits(clusters, cluster),
    fits(namespaces, [destination.namespace ?? '']),
  ].filter((answer) => answer !== undefined)
  if (answers.length === 0) return false
  return window.andOperator === true ? answers.every(Boolean) : answers.some(Boolean)
}

interface State extends WindowState {
  readonly window: SyncWindow
}

const statesAt = ({ window, times }: ReadWindow, now: number): State => ({
  window,
  ...(times === undefined ? { open: false } : times.stateAt(now)),
})

/** Those that keep syncs away now: open deny windows, or all allow windows when none of them is open. */
function keepersOf(states: readonly State[]): readonly SyncWindow[] {
  const of = (kind: string, open: boolean): readonly SyncWindow[] =>
    states.filter((state) => state.window.kind === kind && state.open === open).map(({ window }) => window)
  const denying = of('deny', true)
  if (denying.length > 0) return denying
  return of('allow', true).length > 0 ? [] : of('allow', false)
}

const isAllowed = (states: readonly State[], manual: boolean): boolean => {
  const keepers = keepersOf(states)
  return keepers.length === 0 || (manual && keepers.every((window) => window.manualSync === true))
}

/** A sync that was allowed when it began goes on where all windows that keep others away permit it. */
function runsOver(
  windows: readonly ReadWindow[],
  states: readonly State[],
  { manual, startedAt }: SyncRequest,
): boolean {
  if (startedAt === undefined || keepersOf(states).some((window) => window.syncOverrun !== true)) return false
  const atStart = windows.map(({ window }) => ({ window, ...windowAt(window, startedAt) }))
  return isAllowed(atStart, manual)
}

/** Looks at another time without disturbing what is remembered of now. */
const windowAt = (window: SyncWindow, at: number): WindowState => windowTimes(window).stateAt(at)
