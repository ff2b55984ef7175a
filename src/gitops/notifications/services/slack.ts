// Slack: a message in a channel.

import { z } from 'zod'
import type { Json } from '#objects'
import { answerIn, asked, type Service, ServiceFault } from './service.ts'

const schema = z.object({
  token: z.string().min(1),
  apiURL: z.string().nullish(),
  username: z.string().nullish(),
  icon: z.string().nullish(),
  disableUnfurl: z.boolean().nullish(),
  insecureSkipVerify: z.boolean().nullish(),
})
const answer = z.object({ ok: z.boolean(), error: z.string().nullish() })

export function slack(options: Json): Service {
  const settings = schema.parse(options)
  return {
    type: 'slack',
    async send({ message, destination, web }) {
      const { attachments, blocks, username, icon } = message.slack ?? {}
      const body = {
        channel: destination.recipient,
        text: message.message ?? '',
        ...shownAs(username ?? settings.username, icon ?? settings.icon),
        ...listIn('attachments', attachments),
        ...listIn('blocks', blocks),
        ...(settings.disableUnfurl === true ? { unfurl_links: false, unfurl_media: false } : {}),
      }
      const response = await asked(web, {
        url: `${(settings.apiURL ?? 'https://slack.com/api').replace(/\/+$/, '')}/chat.postMessage`,
        method: 'POST',
        headers: { 'content-type': 'application/json; charset=utf-8' },
        credentials: { authorization: `Bearer ${settings.token}` },
        body: JSON.stringify(body),
        insecure: settings.insecureSkipVerify === true,
      })
      const { ok, error } = answerIn(answer, response)
      if (!ok) throw new ServiceFault(error ?? 'refused')
    },
  }
}

const shownAs = (username: string | null | undefined, icon: string | null | undefined) => ({
  ...(username == null || username === '' ? {} : { username }),
  ...(icon == null || icon === '' ? {} : icon.startsWith(':') ? { icon_emoji: icon } : { icon_url: icon }),
})

function listIn(name: string, text: string | undefined): Readonly<Record<string, unknown>> {
  if (text === undefined || text.trim() === '') return {}
  try {
    return { [name]: JSON.parse(text) as unknown }
  } catch {
    throw new ServiceFault(`slack.${name} of the template is no JSON`)
  }
}
