// What is to be said of a target and its live object: whether and where they differ, and how the object is. Answers are kept
// per application until target, live object or the rules change; a change of status alone asks nothing.

import { type IgnoreRule, keyOf, rulesFor, rulesOfAggregation } from '#gitops/diff'
import type { Verdict } from '#gitops/health'
import type { Kind } from '#kinds'
import { type AnyObject, isEqual } from '#objects'
import type { Target } from '../desired/targets.ts'
import { type Asked, type AskInput, ask, type Pair } from './ask.ts'
import type { Judged } from './comparison.ts'

interface Answer extends Asked {
  readonly target: AnyObject
  readonly live: AnyObject
  readonly rules: readonly IgnoreRule[]
  readonly way: AskInput['way']
}

/** What was asked for one application, by object. */
export type Answers = Map<string, Answer>

/** How an object is, users' own rules included. */
export type HealthOf = (object: AnyObject) => Verdict | undefined | Promise<Verdict | undefined>

export interface JudgeInput extends AskInput {
  readonly healthOf: HealthOf
  readonly answers: Answers
  readonly ignore: readonly IgnoreRule[]
  /** Nothing is said of the rules of roles that gather those of others. */
  readonly ignoresAggregatedRoles: boolean
}

export async function judge(
  input: JudgeInput,
  id: string,
  pair: { readonly target: Target; readonly live: AnyObject | undefined },
): Promise<Judged> {
  const { target, live } = pair
  const { key, object, kind } = target
  const base = { key, version: versionOf(object), kind, target: object }
  if (live === undefined || kind === undefined)
    return { ...base, modified: true, differences: [], ...(live === undefined ? {} : { live }) }
  const answer = await answerFor(input, id, { key, kind, target: object, live })
  const verdict = await input.healthOf(live)
  const again = [answer.askAgainAt, verdict?.until].filter((at) => at !== undefined)
  return {
    ...base,
    live,
    modified: answer.comparison.modified,
    differences: answer.comparison.differences,
    ...(answer.predicted === undefined ? {} : { predicted: answer.predicted }),
    ...(verdict === undefined ? {} : { verdict }),
    ...(answer.refusal === undefined ? {} : { refusal: answer.refusal }),
    ...(again.length === 0 ? {} : { askAgainAt: Math.min(...again) }),
  }
}

/** An object that is there and not wanted. */
export async function judgeExtra(healthOf: HealthOf, kind: Kind, live: AnyObject): Promise<Judged> {
  const verdict = await healthOf(live)
  return {
    key: keyOf(live),
    version: kind.version,
    kind,
    live,
    modified: false,
    differences: [],
    ...(verdict === undefined ? {} : { verdict }),
    ...(verdict?.until === undefined ? {} : { askAgainAt: verdict.until }),
  }
}

const versionOf = (object: AnyObject): string => object.apiVersion.slice(object.apiVersion.indexOf('/') + 1)

async function answerFor(input: JudgeInput, id: string, pair: Pair): Promise<Answer> {
  const rules = [
    ...rulesFor(input.ignore, pair.key),
    ...(input.ignoresAggregatedRoles ? rulesOfAggregation(pair.target) : []),
  ]
  const known = input.answers.get(id)
  if (
    known !== undefined &&
    known.target === pair.target &&
    (known.askAgainAt === undefined || input.destination.clock.now() < known.askAgainAt) &&
    isSame(known.live, pair.live, pair.target['status'] !== undefined) &&
    isEqual(known.rules, rules) &&
    isEqual(known.way, input.way)
  ) {
    if (known.live === pair.live) return known
    const renewed = { ...known, live: pair.live }
    input.answers.set(id, renewed)
    return renewed
  }
  const { target, live } = pair
  const answer = { ...(await ask(input, rules, pair)), target, live, rules, way: input.way }
  input.answers.set(id, answer)
  return answer
}

/** Nothing that a dry run looks at has changed. Stored objects share what did not change, so this is a few comparisons of references. */
function isSame(a: AnyObject, b: AnyObject, withStatus: boolean): boolean {
  if (a === b) return true
  const fields = new Set([...Object.keys(a), ...Object.keys(b)])
  for (const field of fields) {
    if ((field !== 'status' || withStatus) && field !== 'metadata' && !isEqual(a[field], b[field])) return false
  }
  const { resourceVersion: _a, managedFields: _c, ...before } = a.metadata
  const { resourceVersion: _b, managedFields: _d, ...after } = b.metadata
  return isEqual(before, after)
}
