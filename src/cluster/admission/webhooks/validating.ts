// Asks the validating webhooks, all at once, when nothing changes the object any more. All are waited for; then the one
// that refused first speaks.

import {
  type Kind,
  type MutatingWebhookConfiguration,
  type ValidatingWebhook,
  ValidatingWebhookConfiguration,
} from '#kinds'
import type { AdmissionRequest, AdmissionState } from '../plugin.ts'
import type { Presented } from '../rules.ts'
import { call } from './call.ts'
import { wanted, webhooksOf } from './match.ts'

export const hasValidatingWebhooks = (state: AdmissionState): boolean => state.count(ValidatingWebhookConfiguration) > 0

export async function validateByWebhooks(request: AdmissionRequest, state: AdmissionState): Promise<void> {
  const kind = ValidatingWebhookConfiguration as unknown as Kind<MutatingWebhookConfiguration>
  const asked: { readonly webhook: ValidatingWebhook; readonly shown: Presented }[] = []
  for (const { webhook } of webhooksOf<ValidatingWebhook>(state, kind)) {
    const shown = await wanted(webhook, request, request.object, state)
    if (shown !== undefined) asked.push({ webhook, shown })
  }
  const refusals: unknown[] = []
  await Promise.all(
    asked.map(async ({ webhook, shown }) => {
      try {
        await call(webhook, shown, state, false)
      } catch (error) {
        refusals.push(error)
      }
    }),
  )
  if (refusals.length > 0) throw refusals[0]
}
