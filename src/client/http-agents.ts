// The connections to one server: kept between requests, through a proxy where there is one, and made anew when another client
// certificate is to be shown. A watch has its connection to itself, and there is no telling how many kinds are watched.

import { Agent as HttpAgent } from 'node:http'
import { type AgentOptions, Agent as HttpsAgent, type RequestOptions } from 'node:https'
import type { Duplex } from 'node:stream'
import { type ConnectionOptions, connect as connectTls } from 'node:tls'
import type { Connection } from './kubeconfig.ts'
import type { Credential } from './sign-in.ts'
import { tunnel } from './tunnel.ts'

const maxConnections = 32

export interface Agents {
  readonly watch: HttpAgent
  readonly other: HttpAgent
}

export interface AgentsOptions {
  readonly connection: Connection
  readonly proxy: URL | undefined
  readonly silenceMs: number
}

export class HttpAgents {
  readonly #options: AgentsOptions
  #agents: Agents | undefined
  #certificate: string | undefined

  constructor(options: AgentsOptions) {
    this.#options = options
  }

  /** Those that show this credential. */
  for({ clientCertificate, clientKey }: Credential): Agents {
    const certificate = clientCertificate === undefined ? undefined : `${clientCertificate}\n${clientKey}`
    if (this.#agents !== undefined && certificate === this.#certificate) return this.#agents
    // Watches over connections of the certificate before go on from where they are, over new ones.
    this.close()
    this.#certificate = certificate
    const own = clientCertificate === undefined ? {} : { cert: clientCertificate, key: clientKey ?? '' }
    this.#agents = { watch: this.#make(Number.POSITIVE_INFINITY, own), other: this.#make(maxConnections, own) }
    return this.#agents
  }

  close(): void {
    this.#agents?.watch.destroy()
    this.#agents?.other.destroy()
    this.#agents = undefined
  }

  #make(maxSockets: number, own: AgentOptions): HttpAgent {
    const { connection, proxy, silenceMs } = this.#options
    const keep = { keepAlive: true, maxSockets }
    // In plain text, each request names its server to the proxy.
    if (!connection.server.startsWith('https:'))
      return proxy?.protocol === 'https:' ? new HttpsAgent(keep) : new HttpAgent(keep)
    const options = { ...keep, ...tlsOptions(connection), ...own }
    return proxy === undefined ? new HttpsAgent(options) : new TunnelAgent(options, proxy, silenceMs)
  }
}

const tlsOptions = ({ ca, insecure, serverName, clientCertificate, clientKey }: Connection): AgentOptions => ({
  ...(ca === undefined ? {} : { ca }),
  ...(insecure === true ? { rejectUnauthorized: false } : {}),
  ...(serverName === undefined ? {} : { servername: serverName }),
  ...(clientCertificate === undefined ? {} : { cert: clientCertificate }),
  ...(clientKey === undefined ? {} : { key: clientKey }),
})

class TunnelAgent extends HttpsAgent {
  readonly #proxy: URL
  readonly #silenceMs: number

  constructor(options: AgentOptions, proxy: URL, silenceMs: number) {
    super(options)
    this.#proxy = proxy
    this.#silenceMs = silenceMs
  }

  override createConnection(
    options: RequestOptions,
    callback: (error: Error | null, stream: Duplex) => void = () => {},
  ): undefined {
    const host = options.host ?? options.hostname ?? ''
    tunnel({ host, port: Number(options.port ?? 443), proxy: this.#proxy, silenceMs: this.#silenceMs }).then(
      (socket) => {
        const { path: _, ...tls } = options
        callback(null, connectTls({ ...tls, host, socket } as ConnectionOptions))
      },
      // Whoever waits for a connection hears of the fault alone.
      (error: Error) => callback(error, undefined as unknown as Duplex),
    )
    return undefined
  }
}
