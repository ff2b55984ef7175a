// What a template of argocd-notifications-cm may have: texts for each of the services.

import { z } from 'zod'

export const optionalText = z
  .string()
  .nullish()
  .transform((value) => value ?? undefined)
const webhookSchema = z.object({ method: optionalText, path: optionalText, body: optionalText })
const githubSchema = z.object({
  repoURLPath: optionalText,
  revisionPath: optionalText,
  status: z.object({ state: optionalText, label: optionalText, targetURL: optionalText }).nullish(),
  pullRequestComment: z.object({ content: optionalText, commentTag: optionalText }).nullish(),
})
export const templateSchema = z.object({
  message: optionalText,
  email: z.object({ subject: optionalText, body: optionalText }).nullish(),
  slack: z
    .object({ attachments: optionalText, blocks: optionalText, username: optionalText, icon: optionalText })
    .nullish(),
  webhook: z.record(z.string(), webhookSchema).nullish(),
  github: githubSchema.nullish(),
})

export type Template = z.infer<typeof templateSchema>
