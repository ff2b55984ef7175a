// E-mail by SMTP.

import { createTransport } from 'nodemailer'
import { z } from 'zod'
import type { Json } from '#objects'
import { type Service, ServiceFault } from './service.ts'

const schema = z.object({
  host: z.string().min(1),
  port: z.union([z.number(), z.string()]).transform(Number),
  username: z.string().nullish(),
  password: z.string().nullish(),
  from: z.string().min(1),
  html: z.boolean().nullish(),
  insecure_skip_verify: z.boolean().nullish(),
})

const silenceMs = 20_000
const submissionsPort = 465

export function email(options: Json): Service {
  const { host, port, username, password, from, html, insecure_skip_verify: insecure } = schema.parse(options)
  const auth = username == null || username === '' ? {} : { auth: { user: username, pass: password ?? '' } }
  return {
    type: 'email',
    async send({ message, destination, world }) {
      const body = message.email?.body ?? message.message ?? ''
      const transport = createTransport({
        host,
        port,
        secure: port === submissionsPort,
        ...auth,
        tls: { rejectUnauthorized: insecure !== true },
        connectionTimeout: silenceMs,
        greetingTimeout: silenceMs,
        socketTimeout: silenceMs,
        // Templates name no files, and nothing of a message is fetched.
        disableFileAccess: true,
        disableUrlAccess: true,
      })
      const mail = { from, to: destination.recipient, subject: message.email?.subject ?? '' }
      try {
        await world.clock.outside('email', () =>
          transport.sendMail({ ...mail, ...(html === true ? { html: body } : { text: body }) }),
        )
      } catch (error) {
        throw new ServiceFault(reasonOf(error))
      } finally {
        transport.close()
      }
    },
  }
}

/** A code of the system or of the server; what the server said may hold what it was sent. */
function reasonOf(error: unknown): string {
  const { code, responseCode } = error as { readonly code?: string; readonly responseCode?: number }
  const said = responseCode === undefined ? '' : ` (the server answered ${responseCode})`
  return `${code ?? 'the mail was not sent'}${said}`
}
