// Words that a check and a plan share.

import { formatFindings } from '#insight'
import {
  type ApplicationReport,
  formatDuration,
  type ObjectName,
  type RevisionReport,
  several,
  type Trouble,
} from '#lab'

/** `Deployment shop/web`. */
export const objectText = ({ kind, namespace, name }: ObjectName): string =>
  `${kind} ${namespace === '' ? '' : `${namespace}/`}${name}`

/** `1a2b3c4 (HEAD)`. */
export function revisionText({ id, name }: RevisionReport): string {
  const shown = name.replace(/\b([0-9a-f]{7})[0-9a-f]{33}\b/g, '$1')
  return id === '' ? shown : shown === id.slice(0, 7) ? shown : `${id.slice(0, 7)} (${shown})`
}

export const settledText = ({ settled, seconds }: { readonly settled: boolean; readonly seconds: number }): string =>
  settled
    ? `settled after ${formatDuration(seconds * 1000)} of virtual time`
    : `not settled within ${formatDuration(seconds * 1000)} of virtual time (--timeout)`

export const inOrderText = (inOrder: number, applications: number): string =>
  inOrder === applications
    ? `${applications === 1 ? 'the Application is' : `all ${applications} Applications are`} in order`
    : `${inOrder} of ${several(applications, 'Application')} in order`

const loneFailures: ReadonlySet<string> = new Set(['Failed', 'Error'])

/** Why an application is not in order, in lines; none when it is. */
export function troubleLines(app: ApplicationReport): readonly string[] {
  if (app.inOrder) return []
  const { operation = { phase: '', message: '' }, conditions, troubles, moreTroubles } = app
  // An attempt that failed is one of many, and when the next one comes says nothing of the change.
  const why = operation.message.replace(/\.? Retrying attempt #.*$/, '').replace(/ \(retried \d+ times\)\.?$/, '')
  const hasFailed = loneFailures.has(operation.phase) || operation.message.includes(' Retrying attempt #')
  // Of a sync that failed the operation tells, without the time of the next attempt.
  const told = conditions.filter(({ type }) => type !== 'SyncError' || !hasFailed)
  const lines = told.map(({ type, message }) => `✗ ${type}: ${message}`)
  const isTold = troubles.some(({ message = '' }) => message !== '' && operation.message.includes(message))
  if (hasFailed && !isTold) lines.push(`✗ the sync failed: ${why}`)
  else if (operation.phase === 'Running' && !hasFailed) lines.push(`… the sync goes on: ${why}`)
  const isHeldUp = ({ sync, message, findings }: Trouble): boolean =>
    hasFailed && sync === 'OutOfSync' && message === undefined && findings.length === 0
  for (const trouble of troubles) if (!isHeldUp(trouble)) lines.push(...oneTrouble(trouble))
  const heldUp = troubles.filter(isHeldUp).length
  if (heldUp > 0) lines.push(`… ${several(heldUp, 'object')} that the sync does not come to`)
  if (moreTroubles > 0) lines.push(`… ${several(moreTroubles, 'more object')} in trouble`)
  return lines
}

function oneTrouble(trouble: Trouble): readonly string[] {
  const { findings, sync = '', health = '', message } = trouble
  if (findings.some((finding) => finding.state !== 'converged')) return formatFindings(findings).split('\n')
  const state = [sync, health].filter((part) => part !== '').join(', ')
  return [`✗ ${objectText(trouble)}: ${state}${message === undefined ? '' : `: ${message}`}`]
}

/** `shop, deploy`: the repository, and the folder of it that is synced. */
export const placeOf = ({ repository, path }: { readonly repository: string; readonly path: string }): string =>
  path === '.' || path === '' ? repository : `${repository}, ${path}`

/** None where nothing was taken to be there. */
export const assumedLines = ({ assumedKinds }: { readonly assumedKinds: readonly string[] }): readonly string[] =>
  assumedKinds.length === 0 ? [] : [`Taken to be there (--assume-kinds): ${assumedKinds.join(', ')}`]

export interface Block {
  readonly name: string
  /** Behind the name. */
  readonly head: string
  readonly lines: readonly string[]
}

const namesMax = 3

/** Those of which the same is to be said are named together. */
export function gathered<B extends Block>(blocks: readonly B[]): readonly B[] {
  const same = new Map<string, B[]>()
  for (const block of blocks) {
    const key = block.lines.length === 0 ? block.name : [block.head, ...block.lines].join('\n')
    same.set(key, [...(same.get(key) ?? []), block])
  }
  return [...same.values()].flatMap(([first, ...rest]) => {
    if (first === undefined) return []
    const names = [first, ...rest].map(({ name }) => name)
    const more = names.length - namesMax
    return { ...first, name: more > 0 ? `${names.slice(0, namesMax).join(', ')} and ${more} more` : names.join(', ') }
  })
}

export const indented = (lines: readonly string[], by = '  '): readonly string[] =>
  lines.flatMap((line) => line.split('\n')).map((line) => `${by}${line}`.trimEnd())
