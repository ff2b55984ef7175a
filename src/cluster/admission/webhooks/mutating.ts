// Asks the mutating webhooks one after the other, each seeing what those before it made. When one changed something, the
// plug-ins of the server look at the object again, and those webhooks once more that want it (reinvocationPolicy IfNeeded)
// and after whose call something changed.

import { internalError } from '#api'
import { type MutatingWebhook, MutatingWebhookConfiguration } from '#kinds'
import { type AnyObject, isEqual, type Json, type JsonPatchOperation, jsonPatch } from '#objects'
import type { AdmissionRequest, AdmissionState } from '../plugin.ts'
import type { Presented } from '../rules.ts'
import { call, fail, messageOf } from './call.ts'
import { type Configured, wanted, webhooksOf } from './match.ts'
import type { Verdict } from './review.ts'

export const hasMutatingWebhooks = (state: AdmissionState): boolean => state.count(MutatingWebhookConfiguration) > 0

export interface MutatingRound {
  /** Runs the plug-ins of the server again over what webhooks changed. */
  readonly again: (object: AnyObject) => AnyObject
}

/** Which webhooks are to be asked a second time. */
class Reinvocations {
  /** Asked since the last change, and willing. */
  readonly #unchanged = new Set<MutatingWebhook>()
  readonly #due = new Set<MutatingWebhook>()

  asked(webhook: MutatingWebhook): void {
    if (webhook.reinvocationPolicy === 'IfNeeded') this.#unchanged.add(webhook)
  }

  changed(): void {
    for (const webhook of this.#unchanged) this.#due.add(webhook)
    this.#unchanged.clear()
  }

  isDue(webhook: MutatingWebhook): boolean {
    return this.#due.has(webhook)
  }
}

export async function mutateByWebhooks(
  request: AdmissionRequest,
  object: AnyObject | undefined,
  state: AdmissionState,
  { again }: MutatingRound,
): Promise<AnyObject | undefined> {
  const webhooks = webhooksOf<MutatingWebhook>(state, MutatingWebhookConfiguration)
  const reinvocations = new Reinvocations()
  let current = object
  const round = async (number: number): Promise<void> => {
    for (const [index, configured] of webhooks.entries()) {
      const { webhook } = configured
      const shown = await wanted(webhook, request, current, state)
      if (shown === undefined || (number > 0 && !reinvocations.isDue(webhook))) continue
      const before = current
      current = await mutateBy({ configured, round: number, index }, withoutIdentity(shown), before, state)
      if (current !== before) reinvocations.changed()
      reinvocations.asked(webhook)
    }
  }
  await round(0)
  if (current === undefined || current === object) return current
  const seen = current
  current = again(current)
  if (!isEqual(seen, current)) reinvocations.changed()
  await round(1)
  return current
}

/** At this point a new object has no identity yet, and no name that is made for it. */
function withoutIdentity(shown: Presented): Presented {
  const { request, object } = shown
  if (request.operation !== 'CREATE' || request.subresource !== '' || object === undefined) return shown
  const { uid: _uid, creationTimestamp: _creationTimestamp, generation: _generation, name, ...rest } = object.metadata
  const metadata = request.name === '' || name === undefined ? rest : { name, ...rest }
  return { ...shown, object: { ...object, metadata } }
}

/** Gives back what a webhook was not shown. A name that it gave stays. */
function withIdentity(
  object: AnyObject,
  { metadata }: AnyObject,
  { operation, subresource }: AdmissionRequest,
): AnyObject {
  if (operation !== 'CREATE' || subresource !== '') return object
  const { uid, creationTimestamp, generation, name } = metadata
  return {
    ...object,
    metadata: {
      ...(name === undefined ? {} : { name }),
      ...object.metadata,
      ...(uid === undefined ? {} : { uid }),
      ...(creationTimestamp === undefined ? {} : { creationTimestamp }),
      ...(generation === undefined ? {} : { generation }),
    },
  }
}

interface Turn {
  readonly configured: Configured<MutatingWebhook>
  readonly round: number
  readonly index: number
}

/** What the webhook made of the object: the same reference when nothing. */
async function mutateBy(
  { configured: { webhook, configuration }, round, index }: Turn,
  shown: Presented,
  object: AnyObject | undefined,
  state: AdmissionState,
): Promise<AnyObject | undefined> {
  const { request } = shown
  const note = (mutated: boolean): void =>
    request.annotate(
      `mutation.webhook.admission.k8s.io/round_${round}_index_${index}`,
      JSON.stringify({ configuration, webhook: webhook.name, mutated }),
    )
  const verdict = await call(webhook, shown, state, true)
  const next = verdict === undefined ? object : await patched(webhook, verdict, shown, { object, state })
  note(next !== object)
  return next
}

interface Patching {
  /** As it is kept, not as it was shown. */
  readonly object: AnyObject | undefined
  readonly state: AdmissionState
}

async function patched(
  webhook: MutatingWebhook,
  { patch, patchType }: Verdict,
  { request, target, object: shown }: Presented,
  { object, state }: Patching,
): Promise<AnyObject | undefined> {
  if (patch instanceof Error) {
    fail(webhook, `received undecodable patch in webhook response: ${patch.message}`)
    return object
  }
  if (patch.length === 0) return object
  if (shown === undefined || object === undefined) {
    const who = `admission webhook ${JSON.stringify(webhook.name)}`
    throw internalError(`${who} attempted to modify the object, which is not supported for this operation`)
  }
  if (patchType !== 'JSONPatch') {
    fail(webhook, `unsupported patch type ${JSON.stringify(patchType)}`)
    return object
  }
  const made = applied(patch, shown)
  if (isEqual(made, shown)) return object
  return withIdentity(await state.restore(made, object, target, request), object, request)
}

/** A patch that does not fit is not overlooked, whatever the failure policy says. */
function applied(patch: readonly JsonPatchOperation[], shown: AnyObject): AnyObject {
  try {
    return jsonPatch(shown as unknown as Json, patch) as unknown as AnyObject
  } catch (error) {
    throw internalError(messageOf(error))
  }
}
