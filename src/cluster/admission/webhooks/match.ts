// Which webhooks want to see a request.

import type { MutatingWebhook, ValidatingWebhook } from '#kinds'
import type { AnyObject } from '#objects'
import type { AdmissionRequest, AdmissionState } from '../plugin.ts'
import { conditionsHold, isExempt, isSelected, matchesRule, requestValues, requestVariables } from '../rules.ts'

export type Webhook = MutatingWebhook | ValidatingWebhook

/** Throws an Error when a match condition cannot be evaluated. */
export function wants(
  webhook: Webhook,
  request: AdmissionRequest,
  object: AnyObject | undefined,
  state: AdmissionState,
): boolean {
  if (isExempt(request) || webhook.rules?.some((rule) => matchesRule(rule, request)) !== true) return false
  if (!isSelected(webhook, request, object, state)) return false
  return conditionsHold(webhook.matchConditions, requestVariables, () => requestValues(request, object))
}
