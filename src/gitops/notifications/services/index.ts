// The services, by the type that `service.<type>` names. A new one: a file and a line.

import type { Json } from '#objects'
import { email } from './email.ts'
import { github } from './github.ts'
import type { Service } from './service.ts'
import { slack } from './slack.ts'
import { webhook } from './webhook.ts'

/** They throw ZodError for settings that are wrong. */
export const serviceTypes: Readonly<Record<string, (options: Json) => Service>> = { webhook, slack, email, github }
