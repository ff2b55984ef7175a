// Sends a review to where a webhook says it listens, for admission and for conversion. Addresses outside of the cluster
// are really called. Services of the cluster lead to one of their ready pods, where a simulated server answers as its
// profile says. Whatever fails is said in the words of Go's HTTP client.

import { EndpointSlice, Pod, type ProfileWebhook, readyBackends, Service, type WebhookFailing } from '#kinds'
import type { AdmissionState } from '../plugin.ts'
import { answerError, deadline, send } from './http.ts'

const defaultPort = 443

/** Who is called. */
export interface Callee {
  /** By which Faults know it. */
  readonly name: string
  readonly clientConfig: ClientConfig
  readonly timeoutSeconds: number
}

interface ClientConfig {
  readonly url?: string
  readonly service?: {
    readonly name?: string
    readonly namespace?: string
    readonly path?: string
    readonly port?: number
  }
  readonly caBundle?: unknown
}

/** What a call sees of the cluster. */
export type CallState = Pick<AdmissionState, 'world' | 'network' | 'mayCall' | 'get' | 'list'>

/** Where a webhook listens, as it stands in errors. */
export function addressOf(webhook: Callee): string {
  const { service, url } = webhook.clientConfig
  const base = service === undefined ? new URL(url ?? '') : undefined
  const host = base?.origin ?? `https://${service?.name}.${service?.namespace}.svc:${service?.port ?? defaultPort}`
  const path = `/${base?.pathname ?? service?.path ?? ''}/`.replace(/\/+/g, '/')
  return `${host}${path === '/' ? path : path.slice(0, -1)}?timeout=${webhook.timeoutSeconds}s`
}

export interface Question {
  readonly body: string
  /** What a simulated server says, by its profile. */
  readonly answered: (server: ProfileWebhook) => string
}

/** Throws an error whose message says what Go's HTTP client would. */
export async function post(webhook: Callee, question: Question, state: CallState): Promise<string> {
  const address = addressOf(webhook)
  const trouble = state.network?.troubleOf(webhook.name)
  if (trouble?.error === 'internalError')
    throw new Error(answerError(500, trouble.message ?? 'Internal Server Error', 'text/plain'))
  let answer: Awaited<ReturnType<typeof send>>
  try {
    if (trouble !== undefined) await fail(trouble, webhook, state)
    answer = await reach(webhook, { ...question, address, state })
  } catch (error) {
    throw new Error(`Post ${JSON.stringify(address)}: ${error instanceof Error ? error.message : String(error)}`)
  }
  if (answer.status >= 200 && answer.status <= 206) return answer.text
  throw new Error(answerError(answer.status, answer.text, answer.contentType))
}

/** What a Fault says; does not return but by throwing. */
async function fail({ error, message }: WebhookFailing, webhook: Callee, state: CallState): Promise<never> {
  if (error === 'timeout') await state.world.clock.sleep(webhook.timeoutSeconds * 1000)
  throw new Error(message ?? (error === 'timeout' ? deadline : refused(dialled(webhook, state))))
}

const refused = (hostPort: string): string => `dial tcp ${hostPort}: connect: connection refused`

/** The address of one of the webhook's pods where there is one, for an error that is not about any. */
function dialled(webhook: Callee, state: CallState): string {
  const { service, url } = webhook.clientConfig
  if (service === undefined) {
    const { hostname, port } = new URL(url ?? '')
    return `${hostname}:${port === '' ? defaultPort : port}`
  }
  const { host, port } = endpointOf(webhook, state)
  return `${host}:${port}`
}

interface Call extends Question {
  readonly address: string
  readonly state: CallState
}

async function reach(webhook: Callee, { address, body, answered, state }: Call): ReturnType<typeof send> {
  const timeoutMs = webhook.timeoutSeconds * 1000
  const { clock } = state.world
  const really = (to: string): ReturnType<typeof send> => {
    const closed = closedText(to, state)
    if (closed !== undefined) throw new Error(closed)
    return clock.outside(`webhook ${webhook.name}`, () =>
      send(to, { body, timeoutMs, caBundle: String(webhook.clientConfig.caBundle ?? '') }),
    )
  }
  if (webhook.clientConfig.service === undefined) return really(address)
  const { host, port, pod } = endpointOf(webhook, state)
  const met = pod === undefined ? undefined : state.network?.knock(pod, port)
  if (pod === undefined || met === undefined || met.result === 'refused') throw new Error(refused(`${host}:${port}`))
  if (met.result === 'silent') {
    await clock.sleep(timeoutMs)
    throw new Error(deadline)
  }
  const server = state.network?.serverOf(pod) ?? {}
  if (server.forwardTo !== undefined) return really(server.forwardTo)
  const text = await answerIn(server, { answered, timeoutMs, state })
  return { status: 200, text, contentType: 'application/json' }
}

/** Why nobody is called at an address, as people have to know it; undefined: somebody may be. */
export function closedText(address: string, state: Pick<CallState, 'mayCall'>): string | undefined {
  const url = new URL(address)
  if (state.mayCall(url)) return undefined
  return `homeostat calls no webhook at ${url.host}, which would see what is written, Secrets too: start with --webhook-host ${url.host} to allow it`
}

interface Asked extends Pick<Question, 'answered'> {
  readonly timeoutMs: number
  readonly state: CallState
}

async function answerIn(server: ProfileWebhook, { answered, timeoutMs, state }: Asked): Promise<string> {
  const { delaySeconds = 0, crash } = server
  const delayMs = delaySeconds * 1000
  if (delayMs > 0) await state.world.clock.sleep(Math.min(delayMs, timeoutMs))
  if (delayMs >= timeoutMs) throw new Error(deadline)
  if (crash === true) throw new Error('EOF')
  return answered(server)
}

interface Endpoint {
  readonly host: string
  readonly port: number
  readonly pod: Pod | undefined
}

/** One of the ready endpoints behind the port of the webhook's Service, by chance; throws when there is none. */
function endpointOf({ clientConfig }: Callee, state: CallState): Endpoint {
  const { name = '', namespace = '', port = defaultPort } = clientConfig.service ?? {}
  const service = state.get(Service, namespace, name)
  if (service === undefined) throw new Error(`service ${JSON.stringify(name)} not found`)
  if (service.spec?.type === 'ExternalName') throw new Error('unsupported service type "ExternalName"')
  const open = service.spec?.ports?.find((one) => one.port === port)
  if (open === undefined) throw new Error(`no service port ${port} found for service ${JSON.stringify(name)}`)
  const ready = readyBackends(state.list(EndpointSlice, namespace), { service: name, port: open.name ?? '' })
  const chosen = ready[ready.length > 1 ? state.world.random.int(ready.length) : 0]
  if (chosen === undefined) throw new Error(`no endpoints available for service ${JSON.stringify(name)}`)
  return {
    host: chosen.address,
    port: chosen.port,
    pod: chosen.pod === undefined ? undefined : state.get(Pod, namespace, chosen.pod),
  }
}
