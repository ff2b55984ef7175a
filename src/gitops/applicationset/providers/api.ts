// Asks the API of a git server: JSON, page by page, with limits for what a hostile or broken one may answer. Errors name the
// server, what was asked about and the HTTP status; never the token, and nothing that the server said.

import { z } from 'zod'
import type { WebClient } from '#gitops/web'
import { GeneratorFault } from '../generators/fault.ts'
import type { AwsEnvironment } from './aws-environment.ts'
import { boundedWeb } from './bounded.ts'

export type Query = Readonly<Record<string, string | number | boolean | undefined>>

export interface SecretRef {
  readonly secretName: string
  readonly key: string
}

export interface ConfigMapRef {
  readonly configMapName: string
  readonly key: string
}

/** What a provider may ask of the cluster and of the world. */
export interface Asks {
  readonly web: WebClient
  /** Throws GeneratorFault where the Secret or its key is missing. */
  readonly secret: (ref: SecretRef) => string
  readonly configMap: (ref: ConfigMapRef) => string
  /** What may be used of the operator's AWS environment; undefined: nothing. */
  readonly aws: AwsEnvironment | undefined
  /** `pullRequest` or `scmProvider`, for messages. */
  readonly generator: string
}

export interface ApiOptions {
  readonly title: string
  /** The repository, or whatever is asked about. */
  readonly subject: string
  readonly base: string
  readonly credentials: Readonly<Record<string, string>>
  readonly headers?: Readonly<Record<string, string>>
  readonly insecure?: boolean
  readonly ca?: string | undefined
}

export interface Page<T> {
  readonly items: readonly T[]
  /** The query of the next page. */
  readonly next: Query | undefined
}

export interface Seen {
  readonly body: unknown
  readonly header: (name: string) => string
  /** Counted from 1. */
  readonly number: number
}

export interface Api {
  get<T>(schema: z.ZodType<T>, path: string, query?: Query): Promise<T>
  /** Undefined where there is no such thing (404). */
  find<T>(schema: z.ZodType<T>, path: string, query?: Query): Promise<T | undefined>
  all<T>(read: (seen: Seen) => Page<T>, path: string, query?: Query): Promise<readonly T[]>
}

const maxPages = 100

/** A repository or project that is not there. */
export class NotFoundFault extends GeneratorFault {}

export function providerApi(options: ApiOptions, { web, generator }: Asks): Api {
  const fault = (what: string) => new GeneratorFault(`${generator}: ${options.title} ${options.subject}: ${what}`)
  const bounded = boundedWeb(web, fault)
  const ask = async (path: string, query: Query) => {
    const { base, credentials, headers = {}, insecure = false, ca } = options
    const url = addressOf(base, path, query)
    if (url === undefined) throw fault('api is no URL')
    const accept = { accept: 'application/json', ...headers }
    return bounded({ url, headers: accept, credentials, insecure, ca })
  }
  const answered = async (path: string, query: Query = {}) => {
    const { status, text, header } = await ask(path, query)
    if (status === 404) throw new NotFoundFault(fault(`the server answered ${statusText(404)}`).message)
    if (status < 200 || status > 299) throw fault(`the server answered ${statusText(status)}`)
    return { body: parsed(text) ?? fail(fault('the answer is no JSON')), header }
  }
  const checked = <T>(read: () => T): T => {
    try {
      return read()
    } catch (error) {
      if (!(error instanceof z.ZodError)) throw error
      throw fault(`the answer is not what was expected, at ${error.issues[0]?.path.join('.') ?? ''}`)
    }
  }
  const get: Api['get'] = async (schema, path, query) => {
    const { body } = await answered(path, query)
    return checked(() => schema.parse(body))
  }
  return {
    get,
    async find(schema, path, query) {
      try {
        return await get(schema, path, query)
      } catch (error) {
        if (error instanceof NotFoundFault) return undefined
        throw error
      }
    },
    async all<T>(read: (seen: Seen) => Page<T>, path: string, query: Query = {}) {
      const items: T[] = []
      let next: Query | undefined = {}
      for (let number = 1; next !== undefined; number++) {
        if (number > maxPages) throw fault(`the answer has more than ${maxPages} pages`)
        const { body, header } = await answered(path, { ...query, ...next })
        const page = checked(() => read({ body, header, number }))
        items.push(...page.items)
        next = page.next
      }
      return items
    },
  }
}

function fail(error: Error): never {
  throw error
}

const names: Readonly<Record<number, string>> = {
  401: 'Unauthorized',
  403: 'Forbidden',
  404: 'Not Found',
  429: 'Too Many Requests',
  500: 'Internal Server Error',
  502: 'Bad Gateway',
  503: 'Service Unavailable',
}

const statusText = (status: number): string => `${status} ${names[status] ?? ''}`.trim()

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

function addressOf(base: string, path: string, query: Query): string | undefined {
  const text = `${base.replace(/\/+$/, '')}/${path}`
  if (!URL.canParse(text)) return undefined
  const url = new URL(text)
  for (const [name, value] of Object.entries(query)) if (value !== undefined) url.searchParams.set(name, String(value))
  return url.href
}

/** Pages that the answer's Link header tells of. */
export const linked =
  <T>(schema: z.ZodType<readonly T[]>) =>
  ({ body, header, number }: Seen): Page<T> => ({
    items: schema.parse(body),
    next: /rel="?next"?/.test(header('link')) ? { page: number + 1 } : undefined,
  })

export const basicAuth = (username: string, password: string): Readonly<Record<string, string>> => ({
  authorization: `Basic ${Buffer.from(`${username}:${password}`).toString('base64')}`,
})
