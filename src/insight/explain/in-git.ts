// What git has to do with an object: the Application that it is part of, and whether the cluster refused what git says of it
// now. The object itself only tells of what was taken. Pure, but for one list of Applications.

import { Application, type ApplicationCondition, type ApplicationResource, argocdNamespace, type Kind } from '#kinds'
import type { KubeObject } from '#objects'
import { describe, nameOf } from './application-words.ts'
import type { Around } from './around.ts'
import { type Changed, type Changes, changesOf } from './changed.ts'
import { describeObject, type Finding, isStuck, sinceTime } from './finding.ts'
import { isHere } from './observe-application.ts'

export interface PartOf {
  readonly app: Application
  readonly item: ApplicationResource
  /** What the drift log has of the Application. */
  readonly changes: readonly Changed[]
}

interface Named {
  readonly namespace?: string
  readonly name?: string
}

/** The Application whose git has this object, in the built-in cluster. */
export async function partOf(
  around: Pick<Around, 'list'>,
  kind: Kind,
  { namespace = '', name, changes }: Named & { readonly changes?: Changes },
): Promise<PartOf | undefined> {
  for (const app of await around.list(Application)) {
    if (!isHere(app)) continue
    const item = (app.status?.resources ?? []).find(
      (each) =>
        each.name === name &&
        each.kind === kind.kind &&
        (each.group ?? '') === kind.group &&
        (each.namespace ?? '') === namespace,
    )
    if (item !== undefined) return { app, item, changes: (await changes?.(logName(app))) ?? [] }
  }
  return undefined
}

/** As the drift log calls an Application. */
const logName = ({ metadata: { namespace, name = '' } }: Application): string =>
  namespace === undefined || namespace === argocdNamespace ? name : `${namespace}/${name}`

/** What the object's own findings do not tell: they are about the version that the cluster has. */
export function withGit(
  findings: readonly Finding[],
  object: KubeObject,
  part: PartOf | undefined,
): readonly Finding[] {
  if (part === undefined) return findings
  const refused = refusalOf(part, object)
  if (refused !== undefined) return [refused, ...findings]
  const { app, item } = part
  const [head, ...rest] = findings
  if (item.status !== 'OutOfSync' || head === undefined) return findings
  const differs = `${describeObject(app)} is OutOfSync here: git says something else (homeostat app diff ${app.metadata.name ?? ''})`
  return [{ ...head, evidence: [...head.evidence, differs, ...changesOf(part.changes, item)] }, ...rest]
}

/** An object that git has and the cluster does not. */
export function missingFrom(part: PartOf, chain: readonly Finding[]): readonly Finding[] {
  const object = nameOf(part.item)
  const refused = refusal(part, object)
  if (refused !== undefined)
    return [{ ...refused, gap: `it does not exist: git has it, and the cluster refuses it: ${refused.why}` }]
  const [head] = chain
  const deleted = changesOf(part.changes, part.item)
  return [
    {
      state: isStuck(chain) ? 'stuck' : 'progressing',
      loop: head?.loop ?? 'application controller',
      object,
      gap: `it does not exist: ${describeObject(part.app)} has it in git, and ${deleted.length > 0 ? 'nobody has made it again' : 'no sync has made it yet'}`,
      evidence: deleted,
    },
    ...chain.map((finding) => ({ ...finding, depth: (finding.depth ?? 0) + 1 })),
  ]
}

function refusalOf(part: PartOf, object: KubeObject): Finding | undefined {
  const found = refusal(part, describeObject(object))
  if (found === undefined) return undefined
  const { why, ...finding } = found
  return { ...finding, gap: `git has a newer version of it, and the cluster refuses that: ${why}` }
}

interface Refused extends Omit<Finding, 'gap'> {
  readonly why: string
}

/** Told by the comparison, with the place in git; or by the last sync, where the comparison did not ask the cluster. */
function refusal({ app, item }: PartOf, object: string): Refused | undefined {
  const { conditions = [], operationState } = app.status ?? {}
  const words = `the cluster refuses ${object}: `
  const told = conditions.find(({ type, message }) => type === 'RefusedResourceWarning' && message.includes(words))
  const failed = operationState?.syncResult?.resources?.find(
    ({ group, kind, namespace, name, status }) =>
      status === 'SyncFailed' &&
      name === item.name &&
      kind === item.kind &&
      (group ?? '') === (item.group ?? '') &&
      (namespace ?? '') === (item.namespace ?? ''),
  )
  const isOpen = item.status !== 'Synced'
  if (told === undefined && (failed === undefined || !isOpen)) return undefined
  const why =
    told === undefined ? (failed?.message ?? '') : told.message.slice(told.message.indexOf(words) + words.length)
  return {
    why,
    state: 'stuck',
    loop: 'application controller',
    object,
    ...sinceTime(told?.lastTransitionTime ?? operationState?.finishedAt ?? operationState?.startedAt),
    evidence: [
      `${describeObject(app)}, revision ${app.status?.sync?.revision ?? 'unknown'}`,
      ...(told === undefined ? [] : [describe(told)]),
      ...(failed === undefined ? [] : [`the last sync: ${nameOf(item)}: ${failed.message ?? failed.status}`]),
    ],
    advice: `Correct it in git${placeIn(told, words)}: the next commit is compared at once. What is told below is about the version that the cluster has.`,
  }
}

/** ` (shop/web.yaml:3:1)`, where the condition begins with a place. */
function placeIn(told: ApplicationCondition | undefined, words: string): string {
  const place = told?.message.slice(0, told.message.indexOf(words)).replace(/: $/, '') ?? ''
  return place === '' ? '' : ` (${place})`
}
