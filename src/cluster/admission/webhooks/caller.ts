// Asks the webhooks that are configured: mutating ones one after the other, each seeing what those before it made;
// validating ones once nothing changes any more. A mutating webhook that wants it is asked again when a later one
// changed the object.
// Reads: MutatingWebhookConfiguration, ValidatingWebhookConfiguration.

import { ApiError } from '#api'
import { type Kind, type MutatingWebhook, MutatingWebhookConfiguration, ValidatingWebhookConfiguration } from '#kinds'
import { type AnyObject, isEqual, type Json, jsonPatch } from '#objects'
import { type AdmissionRequest, type AdmissionState, refuse } from '../plugin.ts'
import { type Webhook, wants } from './match.ts'
import { denial, reviewOf, type Verdict, verdictOf } from './review.ts'
import { post } from './transport.ts'

interface Configured {
  readonly metadata: { readonly name?: string }
  readonly webhooks?: readonly Webhook[]
}

export const hasMutatingWebhooks = (state: AdmissionState): boolean => state.count(MutatingWebhookConfiguration) > 0
export const hasValidatingWebhooks = (state: AdmissionState): boolean => state.count(ValidatingWebhookConfiguration) > 0

/** Configurations by name, each with its webhooks in order. */
function webhooksOf(state: AdmissionState, kind: Kind): readonly Webhook[] {
  const configurations = state.list(kind) as readonly unknown[] as readonly Configured[]
  return configurations
    .toSorted((a, b) => ((a.metadata.name ?? '') < (b.metadata.name ?? '') ? -1 : 1))
    .flatMap(({ webhooks }) => webhooks ?? [])
}

export interface MutatingRound {
  /** Runs the plug-ins of the server again over what webhooks changed. */
  readonly again: (object: AnyObject) => AnyObject
}

export async function mutateByWebhooks(
  request: AdmissionRequest,
  object: AnyObject,
  state: AdmissionState,
  { again }: MutatingRound,
): Promise<AnyObject> {
  const webhooks = webhooksOf(state, MutatingWebhookConfiguration) as readonly MutatingWebhook[]
  let current = object
  /** What each webhook left behind, to see whether a later one changed it. */
  const seen = new Map<MutatingWebhook, AnyObject>()
  for (const webhook of webhooks) {
    if (!isWanted(webhook, request, current, state)) continue
    current = await mutateBy(webhook, request, current, state)
    seen.set(webhook, current)
  }
  if (current === object) return current
  current = again(current)
  for (const [webhook, left] of seen) {
    if (webhook.reinvocationPolicy !== 'IfNeeded' || isEqual(left, current)) continue
    current = await mutateBy(webhook, request, current, state)
  }
  return current
}

/** A match condition that fails counts as its webhook does when that fails. */
function isWanted(
  webhook: Webhook,
  request: AdmissionRequest,
  object: AnyObject | undefined,
  state: AdmissionState,
): boolean {
  try {
    return wants(webhook, request, object, state)
  } catch (error) {
    if (webhook.failurePolicy === 'Ignore') return false
    const why = error instanceof Error ? error.message : String(error)
    throw refuse(request, `webhook ${JSON.stringify(webhook.name)} match conditions failed: ${why}`)
  }
}

async function mutateBy(
  webhook: MutatingWebhook,
  request: AdmissionRequest,
  object: AnyObject,
  state: AdmissionState,
): Promise<AnyObject> {
  const verdict = await ask(webhook, request, object, state)
  if (verdict === undefined) return object
  check(webhook, verdict, request)
  if (verdict.patch === undefined || verdict.patch.length === 0) return object
  const patched = jsonPatch(object as unknown as Json, verdict.patch) as unknown as AnyObject
  return state.complete(request, patched)
}

export async function validateByWebhooks(request: AdmissionRequest, state: AdmissionState): Promise<void> {
  const wanted = webhooksOf(state, ValidatingWebhookConfiguration).filter((webhook) =>
    isWanted(webhook, request, request.object, state),
  )
  const verdicts = await Promise.all(wanted.map((webhook) => ask(webhook, request, request.object, state)))
  wanted.forEach((webhook, i) => {
    const verdict = verdicts[i]
    if (verdict !== undefined) check(webhook, verdict, request)
  })
}

function check({ name }: Webhook, verdict: Verdict, request: AdmissionRequest): void {
  for (const text of verdict.warnings) request.warn(text)
  if (!verdict.allowed) throw denial(name, verdict.status)
}

/** Undefined when the webhook failed and is to be ignored then. */
async function ask(
  webhook: Webhook,
  request: AdmissionRequest,
  object: AnyObject | undefined,
  state: AdmissionState,
): Promise<Verdict | undefined> {
  const hasSideEffects = !['None', 'NoneOnDryRun'].includes(webhook.sideEffects ?? '')
  if (request.dryRun && hasSideEffects) {
    const message = `admission webhook ${JSON.stringify(webhook.name)} does not support dry run`
    throw new ApiError({ code: 400, reason: 'BadRequest', message })
  }
  const uid = state.world.random.uuid()
  try {
    return verdictOf(await post(webhook, reviewOf(request, object, uid), state), uid)
  } catch (error) {
    if (webhook.failurePolicy === 'Ignore') return undefined
    const why = error instanceof Error ? error.message : String(error)
    throw callFailure(webhook.name, why)
  }
}

function callFailure(name: string, why: string): ApiError {
  const message = `failed calling webhook ${JSON.stringify(name)}: failed to call webhook: ${why}`
  return new ApiError({
    code: 500,
    reason: 'InternalError',
    message: `Internal error occurred: ${message}`,
    details: { causes: [{ message }] },
  })
}
