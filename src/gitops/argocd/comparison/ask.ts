// What an object would become if its target were applied, and where that differs from what is there: asked of the cluster (a
// server-side apply dry run, through defaulting and admission), or worked out here where the application wants it so.

import { ApiError } from '#api'
import type { Destination } from '#gitops/destinations'
import {
  type Comparison,
  compareDeclared,
  compareStates,
  type IgnoreRule,
  jqExpressionsOf,
  type Ownership,
  originalOf,
  predictThreeWay,
  type ResourceKey,
  storedForm,
} from '#gitops/diff'
import { hasOption } from '#gitops/sync'
import type { Kind } from '#kinds'
import type { AnyObject, Schema } from '#objects'
import { syncManager } from '../application/names.ts'
import type { CompareWay } from '../settings/compare-way.ts'
import { applyTarget } from '../writing/apply-target.ts'
import type { IgnoredPaths } from './ignored-paths.ts'
import { current, managedFieldsOf, readManagedFields } from './owned-fields.ts'

export interface AskInput {
  readonly destination: Destination
  readonly ignored: IgnoredPaths
  readonly options: readonly string[]
  readonly way: CompareWay
}

export interface Asked {
  readonly predicted: AnyObject | undefined
  readonly comparison: Comparison
  readonly refusal: string | undefined
  /** World time at which to ask again although nothing has changed: the server itself failed. */
  readonly askAgainAt?: number
}

export interface Pair {
  readonly key: ResourceKey
  readonly kind: Kind
  readonly target: AnyObject
  readonly live: AnyObject
}

export async function ask(input: AskInput, rules: readonly IgnoreRule[], pair: Pair): Promise<Asked> {
  const schema = input.destination.schemaOf(pair.kind)
  const question: Question = { input, rules, pair, ...(schema === undefined ? {} : { schema }) }
  return input.way.serverSide ? askCluster(question) : mergeHere(question)
}

interface Question {
  readonly input: AskInput
  readonly rules: readonly IgnoreRule[]
  readonly pair: Pair
  readonly schema?: Schema
}

/** The live object is gone by now, and the event that says so is on its way. */
const gone: Asked = { predicted: undefined, comparison: { modified: false, differences: [] }, refusal: undefined }

/** Looks again at an object that moves while it is compared; then the next event comes soon enough. */
const maxLooks = 3

async function askCluster(question: Question): Promise<Asked> {
  const { destination } = question.input
  const { kind, target } = question.pair
  let { live } = question.pair
  try {
    for (let looks = 1; ; looks++) {
      const { predicted, comparison } = await look(question, live)
      // The cache may lag behind what the server compared with: only a difference to that very state is one.
      if (!comparison.modified || isSameState(live, predicted) || looks === maxLooks)
        return { predicted, comparison, refusal: undefined }
      const now = await current(destination, kind, live)
      if (now === undefined) return gone
      live = now
    }
  } catch (error) {
    if (!(error instanceof ApiError) || noAnswer.has(error.code)) throw error
    // A refusal is an answer: the target cannot become true as it stands. It must not keep the others from being compared.
    const comparison = compareDeclared(target, live, question.schema)
    const again = error.code < 500 ? {} : { askAgainAt: destination.clock.now() + askAgainMs }
    // Shown beside live, so that defaults and what others own do not seem to go.
    const merged = await merge(question)
    return { predicted: merged?.predicted, comparison, refusal: error.message, ...again }
  }
}

/** The server is busy or away: nothing was said about the target. */
const noAnswer: ReadonlySet<number> = new Set([429, 503, 504])
/** What the server calls a failure of its own may be one (a webhook that is down) or be the target's fault (a wrong type). */
const askAgainMs = 15_000

interface Look {
  readonly predicted: AnyObject
  readonly comparison: Comparison
}

/** Who owns the fields costs two requests more, and is only asked for where something differs. */
async function look(question: Question, live: AnyObject): Promise<Look> {
  const { destination, way } = question.input
  const predicted = await dryRun(question, false)
  const comparison = await compare(question, { live, predicted })
  if (!comparison.modified || way.includesMutations) return { predicted, comparison }
  const owned = await dryRun(question, true)
  const before = await current(destination, question.pair.kind, live)
  const ownership = { live: managedFieldsOf(before), predicted: managedFieldsOf(owned) }
  // The object may have moved since the first answer: what is told is of the second one.
  const { managedFields: _told, ...metadata } = owned.metadata
  return {
    predicted: { ...owned, metadata },
    comparison: await compare(question, { live, predicted: owned, ownership }),
  }
}

const dryRun = ({ input: { destination, options }, pair: { kind, target } }: Question, managedFields: boolean) =>
  applyTarget(destination, kind, {
    target,
    dryRun: true,
    fieldValidation: validationOf(target, options),
    managedFields,
  })

/** Argo CD's three-way merge; of custom resources too by their definition, for that is how a sync will merge them. */
async function mergeHere(question: Question): Promise<Asked> {
  const merged = await merge(question)
  return merged === undefined
    ? gone
    : { predicted: merged.predicted, comparison: await compare(question, merged), refusal: undefined }
}

/** What is there and what it would become, without asking the cluster; undefined when it is gone. */
async function merge({ input, pair, schema }: Question): Promise<Pick<States, 'live' | 'predicted'> | undefined> {
  const owned = await current(input.destination, pair.kind, pair.live)
  if (owned === undefined) return undefined
  const known = { target: pair.target, live: pair.live, ...(schema === undefined ? {} : { schema }) }
  const original = originalOf({ ...known, managedFields: managedFieldsOf(owned), manager: syncManager })
  return {
    live: storedForm(pair.live, schema),
    predicted: storedForm(predictThreeWay({ ...known, original }), schema),
  }
}

interface States {
  readonly live: AnyObject
  readonly predicted: AnyObject
  readonly ownership?: Ownership
}

async function compare({ input, rules, pair, schema }: Question, states: States): Promise<Comparison> {
  const { destination, ignored } = input
  const needsManagers = rules.some((rule) => (rule.managedFieldsManagers ?? []).length > 0)
  const managedFields = needsManagers ? await readManagedFields(destination, pair.kind, states.live) : []
  const ignoredPaths =
    jqExpressionsOf(rules).length === 0
      ? undefined
      : { live: await ignored.in(states.live, rules), predicted: await ignored.in(states.predicted, rules) }
  return compareStates({
    ...states,
    ignore: rules,
    managedFields,
    withStatus: pair.target['status'] !== undefined,
    ...(ignoredPaths === undefined ? {} : { ignoredPaths }),
    ...(schema === undefined ? {} : { schema }),
  })
}

/** A dry run answers with the version of the object that it would change. */
const isSameState = (live: AnyObject, predicted: AnyObject): boolean =>
  live.metadata.uid === predicted.metadata.uid && live.metadata.resourceVersion === predicted.metadata.resourceVersion

export const validationOf = (target: AnyObject, options: readonly string[]): 'Strict' | 'Ignore' =>
  hasOption(target, options, 'Validate=false') ? 'Ignore' : 'Strict'
