// ValidatingWebhookConfiguration (admissionregistration.k8s.io/v1).

import { isEqual } from '#objects'
import { ValidatingWebhookConfiguration } from '../generated/types.ts'
import type { KindRules } from '../kind.ts'
import { withDefaults } from '../sharing.ts'
import { validateWebhooks, webhookColumns, webhooksDefaults } from '../webhook/admission.ts'

export const validatingWebhookConfigurationRules: KindRules<ValidatingWebhookConfiguration> = {
  kind: ValidatingWebhookConfiguration,
  allowUnconditionalUpdate: false,
  generation: ({ webhooks }, old) => !isEqual(webhooks ?? [], old.webhooks ?? []),
  defaults: (configuration) => {
    const { webhooks } = configuration
    return withDefaults(configuration, { webhooks: webhooks && webhooksDefaults(webhooks) })
  },
  validate: ({ webhooks = [] }) => validateWebhooks(webhooks),
  columns: webhookColumns(({ webhooks = [] }) => webhooks),
}
