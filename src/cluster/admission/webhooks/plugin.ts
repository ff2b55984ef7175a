// The names under which webhooks can be left out like any plug-in. They have no functions here: the chain asks webhooks
// itself, since they make a write wait and may make plug-ins look again.

import type { AdmissionPlugin } from '../plugin.ts'

export const mutatingWebhooks: AdmissionPlugin = { name: 'MutatingAdmissionWebhook' }
export const validatingWebhooks: AdmissionPlugin = { name: 'ValidatingAdmissionWebhook' }
