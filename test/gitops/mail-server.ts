// An SMTP server for tests: takes mails and keeps them.

import type { AddressInfo } from 'node:net'
import { createServer } from 'node:net'

export interface Mail {
  readonly from: string
  readonly to: readonly string[]
  readonly text: string
}

export interface MailServer {
  readonly port: number
  readonly mails: Mail[]
  /** Answers this to every recipient. */
  refusal: string | undefined
  close(): Promise<void>
}

const addressIn = (line: string): string => /<(.*?)>/.exec(line)?.[1] ?? ''

export async function startMailServer(): Promise<MailServer> {
  const mails: Mail[] = []
  const server = createServer((socket) => {
    const say = (line: string) => socket.write(`${line}\r\n`)
    let [from, to, text, rest] = ['', [] as string[], undefined as string | undefined, '']
    const hear = (line: string): void => {
      const verb = line.slice(0, 4).toUpperCase()
      if (text !== undefined) {
        if (line !== '.') text += `${line}\n`
        else {
          mails.push({ from, to, text })
          text = undefined
          say('250 taken')
        }
      } else if (verb === 'EHLO' || verb === 'HELO') say('250 mail.example')
      else if (verb === 'MAIL') {
        from = addressIn(line)
        say('250 ok')
      } else if (verb === 'RCPT') {
        to = [...to, addressIn(line)]
        say(mailServer.refusal ?? '250 ok')
      } else if (verb === 'DATA') {
        text = ''
        say('354 go on')
      } else if (verb === 'QUIT') socket.end('221 bye\r\n')
      else say('250 ok')
    }
    say('220 mail.example')
    socket.on('error', () => undefined)
    socket.on('data', (chunk) => {
      rest += chunk.toString('utf8')
      const lines = rest.split('\r\n')
      rest = lines.pop() ?? ''
      for (const line of lines) hear(line)
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const mailServer: MailServer = {
    port: (server.address() as AddressInfo).port,
    mails,
    refusal: undefined,
    close: () => new Promise((resolve) => server.close(() => resolve())),
  }
  return mailServer
}
