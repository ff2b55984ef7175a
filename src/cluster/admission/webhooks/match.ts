// Which of the configured webhooks want to see a request, and in which version. Match conditions see the request as the
// webhook would.
// Reads: MutatingWebhookConfiguration, ValidatingWebhookConfiguration.

import type { Kind, MutatingWebhook, MutatingWebhookConfiguration, ValidatingWebhook } from '#kinds'
import type { AnyObject } from '#objects'
import { type AdmissionRequest, type AdmissionState, refuse } from '../plugin.ts'
import { conditionsHold, isExempt, isSelected, type Presented, presented, requestValues, targetOf } from '../rules.ts'

export type Webhook = MutatingWebhook | ValidatingWebhook

/** A webhook with where it stands: two configurations may give theirs the same name. */
export interface Configured<T extends Webhook> {
  readonly webhook: T
  readonly configuration: string
}

/** The webhooks of all configurations by the names of those, each one's in their order. */
export function webhooksOf<T extends Webhook>(
  state: AdmissionState,
  kind: Kind<MutatingWebhookConfiguration>,
): readonly Configured<T>[] {
  return state
    .list(kind)
    .toSorted((a, b) => ((a.metadata.name ?? '') < (b.metadata.name ?? '') ? -1 : 1))
    .flatMap(({ metadata, webhooks = [] }) =>
      webhooks.map((webhook) => ({ webhook: webhook as T, configuration: metadata.name ?? '' })),
    )
}

/** The request as the webhook wants to see it; undefined when it is not about it. */
export async function wanted(
  webhook: Webhook,
  request: AdmissionRequest,
  object: AnyObject | undefined,
  state: AdmissionState,
): Promise<Presented | undefined> {
  if (isExempt(request) || !isSelected(webhook, request, object, state)) return undefined
  const { rules = [], matchPolicy, matchConditions, failurePolicy } = webhook
  const target = targetOf({ rules, matchPolicy }, request, state)
  if (target === undefined) return undefined
  const shown = await presented(request, target, object, state)
  try {
    return conditionsHold(matchConditions, () => requestValues(shown)) ? shown : undefined
  } catch (error) {
    if (failurePolicy === 'Ignore') return undefined
    throw refuse(request, error instanceof Error ? error.message : String(error))
  }
}
