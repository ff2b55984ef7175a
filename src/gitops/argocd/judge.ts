// Asks the cluster what it would store if a target were applied (a server-side apply dry run, through defaulting and
// admission), and compares that with what is there. Answers are kept per application until target or live object change;
// a change of status alone asks nothing.

import { ApiError, isNotFound } from '#api'
import {
  type Comparison,
  compareDeclared,
  compareStates,
  type IgnoreRule,
  jqExpressionsOf,
  keyOf,
  type ResourceKey,
  rulesFor,
} from '#gitops/diff'
import type { Verdict } from '#gitops/health'
import { hasOption } from '#gitops/sync'
import { builtInSchema, type Kind } from '#kinds'
import { type AnyObject, isEqual, type ManagedFieldsEntry, type Schema } from '#objects'
import type { Kit } from '#reconcile'
import { applyTarget } from './apply-target.ts'
import type { Judged } from './comparison.ts'
import type { IgnoredPaths } from './ignored-paths.ts'
import type { Target } from './targets.ts'

interface Answer {
  readonly target: AnyObject
  readonly live: AnyObject
  readonly rules: readonly IgnoreRule[]
  readonly predicted: AnyObject | undefined
  readonly comparison: Comparison
  readonly refusal: string | undefined
  /** World time at which to ask again although nothing has changed: the server itself failed. */
  readonly askAgainAt?: number
}

/** What was asked for one application, by object. */
export type Answers = Map<string, Answer>

/** How an object is, users' own rules included. */
export type HealthOf = (object: AnyObject) => Verdict | undefined | Promise<Verdict | undefined>

export interface JudgeInput {
  readonly kit: Kit
  readonly healthOf: HealthOf
  readonly ignored: IgnoredPaths
  readonly answers: Answers
  readonly ignore: readonly IgnoreRule[]
  readonly options: readonly string[]
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

interface Pair {
  readonly key: ResourceKey
  readonly kind: Kind
  readonly target: AnyObject
  readonly live: AnyObject
}

async function answerFor(input: JudgeInput, id: string, pair: Pair): Promise<Answer> {
  const rules = rulesFor(input.ignore, pair.key)
  const known = input.answers.get(id)
  if (
    known !== undefined &&
    known.target === pair.target &&
    (known.askAgainAt === undefined || input.kit.world.clock.now() < known.askAgainAt) &&
    isSameButStatus(known.live, pair.live) &&
    isEqual(known.rules, rules)
  ) {
    if (known.live === pair.live) return known
    const renewed = { ...known, live: pair.live }
    input.answers.set(id, renewed)
    return renewed
  }
  const answer = await ask(input, rules, pair)
  input.answers.set(id, answer)
  return answer
}

/** Nothing that a dry run looks at has changed. Stored objects share what did not change, so this is a few comparisons of references. */
function isSameButStatus(a: AnyObject, b: AnyObject): boolean {
  if (a === b) return true
  const fields = new Set([...Object.keys(a), ...Object.keys(b)])
  for (const field of fields) {
    if (field !== 'status' && field !== 'metadata' && !isEqual(a[field], b[field])) return false
  }
  const { resourceVersion: _a, managedFields: _c, ...before } = a.metadata
  const { resourceVersion: _b, managedFields: _d, ...after } = b.metadata
  return isEqual(before, after)
}

/** Looks again at an object that moves while it is compared; then the next event comes soon enough. */
const maxLooks = 3

async function ask(input: JudgeInput, rules: readonly IgnoreRule[], pair: Pair): Promise<Answer> {
  const { key, kind, target } = pair
  const schema = builtInSchema(key.group, kind.version, key.kind)
  const base = { target, live: pair.live, rules }
  let live = pair.live
  try {
    for (let looks = 1; ; looks++) {
      const predicted = await dryRun(input, kind, target)
      const comparison = await compare(input, rules, { kind, live, predicted, schema })
      // The cache may lag behind what the server compared with: only a difference to that very state is one.
      if (!comparison.modified || isSameState(live, predicted) || looks === maxLooks)
        return { ...base, predicted, comparison, refusal: undefined }
      live = (await input.kit.client.get(kind, refOf(live))) as AnyObject
    }
  } catch (error) {
    // It is gone by now, and the event that says so is on its way.
    if (isNotFound(error) && live !== pair.live)
      return { ...base, predicted: undefined, comparison: { modified: false, differences: [] }, refusal: undefined }
    if (!(error instanceof ApiError) || noAnswer.has(error.code)) throw error
    // A refusal is an answer: the target cannot become true as it stands. It must not keep the others from being compared.
    const comparison = compareDeclared(target, live, schema)
    const again = error.code < 500 ? {} : { askAgainAt: input.kit.world.clock.now() + askAgainMs }
    return { ...base, predicted: undefined, comparison, refusal: error.message, ...again }
  }
}

/** The server is busy or away: nothing was said about the target. */
const noAnswer: ReadonlySet<number> = new Set([429, 503, 504])
/** What the server calls a failure of its own may be one (a webhook that is down) or be the target's fault (a wrong type). */
const askAgainMs = 15_000

const dryRun = ({ kit, options }: JudgeInput, kind: Kind, target: AnyObject): Promise<AnyObject> =>
  applyTarget(kit, kind, target, { dryRun: true, fieldValidation: validationOf(target, options) })

interface States {
  readonly kind: Kind
  readonly live: AnyObject
  readonly predicted: AnyObject
  readonly schema: Schema | undefined
}

async function compare(
  { kit, ignored }: JudgeInput,
  ignore: readonly IgnoreRule[],
  { kind, live, predicted, schema }: States,
): Promise<Comparison> {
  const needsManagers = ignore.some((rule) => (rule.managedFieldsManagers ?? []).length > 0)
  const managedFields = needsManagers ? await readManagedFields(kit, kind, live) : []
  const ignoredPaths =
    jqExpressionsOf(ignore).length === 0
      ? undefined
      : { live: await ignored.in(live, ignore), predicted: await ignored.in(predicted, ignore) }
  return compareStates({
    live,
    predicted,
    ignore,
    managedFields,
    ...(ignoredPaths === undefined ? {} : { ignoredPaths }),
    ...(schema === undefined ? {} : { schema }),
  })
}

/** A dry run answers with the version of the object that it would change. */
const isSameState = (live: AnyObject, predicted: AnyObject): boolean =>
  live.metadata.uid === predicted.metadata.uid && live.metadata.resourceVersion === predicted.metadata.resourceVersion

const refOf = ({ metadata: { namespace, name = '' } }: AnyObject) =>
  namespace === undefined ? { name } : { namespace, name }

export const validationOf = (target: AnyObject, options: readonly string[]): 'Strict' | 'Ignore' =>
  hasOption(target, options, 'Validate=false') ? 'Ignore' : 'Strict'

/** Who owns which fields of a live object: made by the server only when asked for. */
export async function readManagedFields(kit: Kit, kind: Kind, live: AnyObject): Promise<readonly ManagedFieldsEntry[]> {
  return (await kit.client.get(kind, refOf(live), { managedFields: true })).metadata.managedFields ?? []
}
