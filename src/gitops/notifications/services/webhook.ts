// Any HTTP request: the service says where to, the template what.

import { z } from 'zod'
import type { Json } from '#objects'
import { asked, type Service, ServiceFault } from './service.ts'

const schema = z.object({
  url: z.string(),
  headers: z.array(z.object({ name: z.string(), value: z.string() })).nullish(),
  basicAuth: z.object({ username: z.string(), password: z.string() }).nullish(),
  insecureSkipVerify: z.boolean().nullish(),
})

export function webhook(options: Json): Service {
  const { url, headers, basicAuth, insecureSkipVerify } = schema.parse(options)
  const password = basicAuth == null ? undefined : Buffer.from(`${basicAuth.username}:${basicAuth.password}`)
  const credentials = {
    ...Object.fromEntries((headers ?? []).map(({ name, value }) => [name.toLowerCase(), value])),
    ...(password === undefined ? {} : { authorization: `Basic ${password.toString('base64')}` }),
  }
  return {
    type: 'webhook',
    async send({ message, destination, web }) {
      const { method = 'GET', path = '', body = message.message ?? '' } = message.webhook?.[destination.service] ?? {}
      const verb = method.toUpperCase()
      if (!/^(GET|POST|PUT|PATCH|DELETE|HEAD)$/.test(verb)) throw new ServiceFault(`method ${method} is not known`)
      await asked(web, {
        url: path === '' ? url : `${url.replace(/\/+$/, '')}/${path.replace(/^\/+/, '')}`,
        method: verb,
        credentials,
        ...(body === '' ? {} : { body, headers: { 'content-length': String(Buffer.byteLength(body)) } }),
        insecure: insecureSkipVerify === true,
      })
    },
  }
}
