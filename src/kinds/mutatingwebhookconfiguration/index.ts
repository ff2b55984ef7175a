// MutatingWebhookConfiguration (admissionregistration.k8s.io/v1).

import { isEqual } from '#objects'
import { MutatingWebhookConfiguration } from '../generated/types.ts'
import type { KindRules } from '../kind.ts'
import { withDefaults } from '../sharing.ts'
import { validateWebhooks, webhookColumns, webhooksDefaults } from '../webhook/admission.ts'

export const mutatingWebhookConfigurationRules: KindRules<MutatingWebhookConfiguration> = {
  kind: MutatingWebhookConfiguration,
  allowUnconditionalUpdate: false,
  generation: ({ webhooks }, old) => !isEqual(webhooks ?? [], old.webhooks ?? []),
  defaults: (configuration) => {
    const { webhooks } = configuration
    return withDefaults(configuration, {
      webhooks:
        webhooks &&
        webhooksDefaults(webhooks, (webhook) => ({ reinvocationPolicy: webhook.reinvocationPolicy ?? 'Never' })),
    })
  },
  validate: ({ webhooks = [] }) => validateWebhooks(webhooks),
  columns: webhookColumns(({ webhooks = [] }) => webhooks),
}
