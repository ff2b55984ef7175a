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
export const revisionText = ({ id, name }: RevisionReport): string =>
  id === '' ? name : name === id ? id.slice(0, 7) : `${id.slice(0, 7)} (${name})`

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
  const lines = app.conditions.map(({ type, message }) => `✗ ${type}: ${message}`)
  const { operation } = app
  const isTold = app.troubles.some(
    ({ message }) => message !== undefined && operation?.message.includes(message) === true,
  )
  const isWaiting = operation?.phase === 'Running'
  if (operation !== undefined && !isTold && (isWaiting || loneFailures.has(operation.phase)))
    lines.push(`${isWaiting ? '…' : '✗'} sync ${operation.phase}: ${operation.message}`)
  for (const trouble of app.troubles) lines.push(...oneTrouble(trouble))
  if (app.moreTroubles > 0) lines.push(`and ${several(app.moreTroubles, 'more object')} in trouble`)
  return lines
}

function oneTrouble(trouble: Trouble): readonly string[] {
  const { findings, sync = '', health = '', message } = trouble
  if (findings.length > 0) return formatFindings(findings).split('\n')
  const state = [sync, health].filter((part) => part !== '').join(', ')
  return [`✗ ${objectText(trouble)}: ${state}${message === undefined ? '' : `: ${message}`}`]
}

export const indented = (lines: readonly string[], by = '  '): readonly string[] =>
  lines.flatMap((line) => line.split('\n')).map((line) => `${by}${line}`.trimEnd())
