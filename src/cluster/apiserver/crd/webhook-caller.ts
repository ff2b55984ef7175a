// Calls the conversion webhook of a definition, by the configuration that the definition has when it is called: who waits
// for a certificate to be written there gets it with the next call.

import { type Callee, conversionAnswer } from '#admission'
import type { Core } from '../core.ts'
import type { WebhookCaller } from './converter.ts'
import { definitionBucket, specOf } from './spec.ts'

const timeoutSeconds = 30

export function webhookCaller(core: Core): WebhookCaller {
  const random = core.random.fork('conversion')
  return {
    uid: () => random.uuid(),
    call: (name, body) => core.callWebhook(calleeOf(core, name), body, (server) => conversionAnswer(server, body)),
  }
}

function calleeOf({ store }: Core, definition: string): Callee {
  const entry = store.get(definitionBucket, definition)
  const { clientConfig } = (entry === undefined ? undefined : specOf(entry.value).conversion?.webhook) ?? {}
  if (clientConfig === undefined) throw new Error('the definition names no webhook any more')
  return { name: `conversion_webhook_for_${definition}`, clientConfig, timeoutSeconds }
}
