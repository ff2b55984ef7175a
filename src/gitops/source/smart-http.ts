// One conversation with a git server over http(s): what it has, and packs. Who comes is shown when the server asks, or at once
// where that is said; after it has asked once, always.

import { noProxies, type Proxies } from '#gitops/web'
import { type Advertisement, readAdvertisement } from './advertisement.ts'
import { type HttpAnswer, httpTransport } from './http-transport.ts'
import type { RemoteAccess } from './remote-access.ts'
import type { Credentials } from './repo-url.ts'
import type { ShallowChange } from './shallow.ts'
import { type PackWish, packRequest, receivePack } from './upload-pack.ts'

export interface SmartHttpOptions {
  /** Without credentials. */
  readonly url: string
  readonly access: RemoteAccess
  /** Of the environment, where the remote has none of its own. */
  readonly proxies?: Proxies | undefined
  /** Asked where nobody has said anything and the remote wants to know who comes. */
  readonly helper?: (() => Promise<Credentials | undefined>) | undefined
}

interface Asked {
  readonly path: string
  readonly method: 'GET' | 'POST'
  readonly type: string
  readonly body?: Buffer
}

const service = 'git-upload-pack'
const shownName = 'git/2.0 (homeostat)'

export class SmartHttp {
  readonly #options: SmartHttpOptions
  readonly #http: ReturnType<typeof httpTransport>
  #authorization: string | undefined

  constructor(options: SmartHttpOptions) {
    const { access, proxies = noProxies } = options
    this.#options = options
    this.#http = httpTransport({ tls: access.tls ?? {}, proxies: access.proxies ?? proxies })
    const { credentials } = access
    if (credentials?.bearerToken !== undefined || credentials?.atOnce === true)
      this.#authorization = authorizationOf(credentials)
  }

  async advertisement(): Promise<Advertisement> {
    const type = `application/x-${service}-advertisement`
    const answer = await this.#ask({ path: `/info/refs?service=${service}`, method: 'GET', type })
    return readAdvertisement(answer.body)
  }

  /** Hands the pack on as it comes, and answers where history ends now. */
  async pack(
    wish: PackWish,
    capabilities: ReadonlySet<string>,
    take: (bytes: Buffer) => Promise<void>,
  ): Promise<ShallowChange> {
    const body = packRequest(wish, capabilities)
    const answer = await this.#ask({
      path: `/${service}`,
      method: 'POST',
      type: `application/x-${service}-result`,
      body,
    })
    return receivePack(answer.body, take)
  }

  async #ask(asked: Asked): Promise<HttpAnswer> {
    const first = await this.#send(asked)
    if (first.statusCode !== 401) return checked(first, asked.type)
    if (this.#authorization !== undefined) throw refused(first)
    const { access, helper } = this.#options
    const credentials = access.credentials ?? (await helper?.())
    if (credentials === undefined) return checked(first, asked.type)
    this.#authorization = authorizationOf(credentials)
    first.discard()
    const second = await this.#send(asked)
    if (second.statusCode === 401) throw refused(second)
    return checked(second, asked.type)
  }

  #send({ path, method, type, body }: Asked): Promise<HttpAnswer> {
    const authorization = this.#authorization
    const headers = {
      accept: type,
      'user-agent': shownName,
      ...(body === undefined ? {} : { 'content-type': `application/x-${service}-request` }),
      ...(authorization === undefined ? {} : { authorization }),
    }
    return this.#http({ url: new URL(`${this.#options.url}${path}`), method, headers, body })
  }
}

function authorizationOf({ username = '', password = '', bearerToken }: Credentials): string {
  if (bearerToken !== undefined) return `Bearer ${bearerToken}`
  return `Basic ${Buffer.from(`${username}:${password}`).toString('base64')}`
}

function refused(answer: HttpAnswer): Error {
  answer.discard()
  return new Error('authentication failed: the user name, password or token was refused')
}

function checked(answer: HttpAnswer, type: string): HttpAnswer {
  const { statusCode, statusMessage, contentType } = answer
  if (statusCode === 200 && contentType === type) return answer
  answer.discard()
  if (statusCode !== 200) throw new Error(`HTTP Error: ${statusCode} ${statusMessage}${adviceFor(statusCode)}`)
  throw new Error(`there is no git repository at this address (it answers with ${contentType || 'no type'})`)
}

const adviceFor = (status: number): string =>
  status === 401
    ? ': it wants to know who comes: add a Secret of type repository to the namespace argocd, or set HOMEOSTAT_REPO_URL and HOMEOSTAT_REPO_TOKEN'
    : ''
