// What a failed run is told by: the last writes to the objects concerned and to their kin, who made them and what they
// changed, between the deeds that were needed.

import type { AnyObject } from '#objects'
import { isWrite } from '../support/faults.ts'
import { controllerOf } from './invariants/invariant.ts'
import type { Deed } from './mischief.ts'
import type { LoggedWrite, RunResult } from './run.ts'

const mostWrites = 16
const mostDeeds = 24
const mostChanges = 4

interface Line {
  readonly at: number
  readonly text: string
}

/** Lines for people: `+12.345 s  r837  kubelet shop/db-0  patch pods/status shop/db-0: status.phase "Running"`. */
export function timeline({ writes, deeds }: RunResult, about: readonly string[], until: number): readonly string[] {
  const kin = kinOf(writes, about)
  const relevant = writes.filter((write) => kin(write) && write.at <= until).slice(-mostWrites)
  const from = relevant[0]?.at ?? 0
  const lines: Line[] = [
    ...deeds
      .filter(({ at }) => at >= from && at <= until)
      .slice(-mostDeeds)
      .map(deedLine),
    ...relevant.map((write) => ({ at: write.at, text: `r${write.revision}  ${describe(write)}` })),
  ]
  const startedAt = writes[0]?.at ?? 0
  return lines.sort((a, b) => a.at - b.at).map(({ at, text }) => `+${((at - startedAt) / 1000).toFixed(3)} s  ${text}`)
}

const deedLine = ({ id, at }: Deed): Line => ({ at, text: `*  ${id}` })

/** The objects named, their controllers, and what these control. */
function kinOf(writes: readonly LoggedWrite[], about: readonly string[]): (write: LoggedWrite) => boolean {
  const ids = new Set(about)
  const owners = new Set<string>()
  for (const { bucket, key, after, before } of writes) {
    if (!ids.has(`${bucket}/${key}`)) continue
    const object = after ?? before
    owners.add(object?.metadata.uid ?? '')
    const owner = controllerOf(object)
    if (owner !== undefined) owners.add(owner.uid)
  }
  return ({ bucket, key, after, before }) => {
    if (bucket === 'events') return false
    const object = after ?? before
    return (
      ids.has(`${bucket}/${key}`) ||
      owners.has(object?.metadata.uid ?? '') ||
      owners.has(controllerOf(object)?.uid ?? '')
    )
  }
}

function describe({ bucket, key, before, after, by, request }: LoggedWrite): string {
  const who = by === undefined ? (request?.caller.user ?? 'apiserver') : `${by.loop} ${by.key}`
  const verb = request === undefined || !isWrite(request) ? 'write' : request.verb
  const part = request?.subresource === undefined ? '' : `/${request.subresource}`
  const what = `${who}  ${verb} ${bucket}${part} ${key}`
  if (after === undefined) return `${what}: gone`
  return `${what}: ${before === undefined ? 'created' : changes(before, after)}`
}

const dull = new Set(['resourceVersion', 'managedFields'])

function changes(before: AnyObject, after: AnyObject): string {
  const found: string[] = []
  const walk = (old: unknown, now: unknown, path: string): void => {
    if (old === now || found.length > mostChanges) return
    if (path.endsWith('conditions')) {
      found.push(...conditionChanges(old, now))
      return
    }
    if (isRecord(old) && isRecord(now)) {
      for (const name of new Set([...Object.keys(old), ...Object.keys(now)]))
        if (!dull.has(name)) walk(old[name], now[name], path === '' ? name : `${path}.${name}`)
    } else if (JSON.stringify(old) !== JSON.stringify(now)) found.push(`${path} ${short(now)}`)
  }
  walk(before, after, '')
  return found.slice(0, mostChanges).join(', ') + (found.length > mostChanges ? ', …' : '')
}

interface Condition {
  readonly type: string
  readonly status: string
}

/** `Ready=True`. */
function conditionChanges(old: unknown, now: unknown): readonly string[] {
  const list = (value: unknown): readonly Condition[] => (Array.isArray(value) ? value : [])
  const before = new Map(list(old).map(({ type, status }) => [type, status]))
  return list(now)
    .filter(({ type, status }) => before.get(type) !== status)
    .map(({ type, status }) => `${type}=${status}`)
}

const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null

function short(value: unknown): string {
  const text = value === undefined ? 'gone' : JSON.stringify(value)
  return text.length > 60 ? `${text.slice(0, 57)}…` : text
}
