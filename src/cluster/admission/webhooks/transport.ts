// Sends an AdmissionReview to where a webhook says it listens. Addresses outside of the cluster are really called.
// Services of the cluster lead to one of their ready pods, where a simulated server answers, or nothing listens.

import { request as httpRequest } from 'node:http'
import { request as httpsRequest } from 'node:https'
import { EndpointSlice, Pod, type ProfileWebhook, Service, type WebhookFailing } from '#kinds'
import type { AdmissionState } from '../plugin.ts'
import type { Webhook } from './match.ts'
import { answerOf } from './simulated-server.ts'

/** Answers longer than this are not read. */
const maxAnswerBytes = 3 * 1024 * 1024
const defaultTimeoutSeconds = 10

const secondsOf = ({ timeoutSeconds }: Webhook): number => timeoutSeconds ?? defaultTimeoutSeconds

/** Where a webhook listens, as it stands in errors. */
export function addressOf(webhook: Webhook): string {
  const { service, url } = webhook.clientConfig
  const query = `timeout=${secondsOf(webhook)}s`
  if (service === undefined) return `${url ?? ''}${url?.includes('?') === true ? '&' : '?'}${query}`
  const path = service.path === undefined ? '' : service.path.startsWith('/') ? service.path : `/${service.path}`
  return `https://${service.name}.${service.namespace}.svc:${service.port ?? 443}${path}?${query}`
}

/** Throws an error whose message says what Go's HTTP client would. */
export async function post(webhook: Webhook, body: string, state: AdmissionState): Promise<string> {
  const address = addressOf(webhook)
  const trouble = state.network?.troubleOf(webhook.name)
  if (trouble?.error === 'internalError') {
    const why = trouble.message ?? 'Internal Server Error'
    throw new Error(`an error on the server (${JSON.stringify(why)}) has prevented the request from succeeding`)
  }
  try {
    if (trouble !== undefined) await fail(trouble, webhook, state)
    if (webhook.clientConfig.service !== undefined) return await askPod(webhook, body, state)
    return await state.world.clock.outside(`webhook ${webhook.name}`, () => send(address, webhook, body))
  } catch (error) {
    throw new Error(`Post ${JSON.stringify(address)}: ${error instanceof Error ? error.message : String(error)}`)
  }
}

const deadline = 'context deadline exceeded'

/** What a Fault says; does not return but by throwing. */
async function fail({ error, message }: WebhookFailing, webhook: Webhook, { world }: AdmissionState): Promise<never> {
  if (error === 'timeout') await world.clock.sleep(secondsOf(webhook) * 1000)
  throw new Error(message ?? (error === 'timeout' ? deadline : 'dial tcp 10.96.0.10:443: connect: connection refused'))
}

async function askPod(webhook: Webhook, body: string, state: AdmissionState): Promise<string> {
  const { port = 443 } = webhook.clientConfig.service ?? {}
  const { address, pod } = endpointOf(webhook, state)
  const server = pod === undefined ? undefined : state.network?.serverOf(pod)
  if (server === undefined) throw new Error(`dial tcp ${address}:${port}: connect: connection refused`)
  const { clock } = state.world
  const { forwardTo } = server
  if (forwardTo !== undefined) return clock.outside(`webhook ${webhook.name}`, () => send(forwardTo, webhook, body))
  return answerIn(server, { webhook, body, state })
}

interface Call {
  readonly webhook: Webhook
  readonly body: string
  readonly state: AdmissionState
}

async function answerIn(server: ProfileWebhook, { webhook, body, state }: Call): Promise<string> {
  const { delaySeconds = 0, crash } = server
  const limit = secondsOf(webhook)
  if (delaySeconds > 0) await state.world.clock.sleep(Math.min(delaySeconds, limit) * 1000)
  if (delaySeconds >= limit) throw new Error(deadline)
  if (crash === true) throw new Error('EOF')
  return answerOf(server, body)
}

interface Endpoint {
  readonly address: string
  readonly pod: Pod | undefined
}

/** One of the ready endpoints of the webhook's Service, by chance; throws when there is none. */
function endpointOf({ clientConfig }: Webhook, state: AdmissionState): Endpoint {
  const { name = '', namespace = '', port = 443 } = clientConfig.service ?? {}
  const service = state.get(Service, namespace, name)
  if (service === undefined) throw new Error(`service ${JSON.stringify(name)} not found`)
  const open = service.spec?.ports?.some((one) => one.port === port)
  if (open !== true) throw new Error(`no service port ${port} found for service ${JSON.stringify(name)}`)
  const ready = state
    .list(EndpointSlice, namespace)
    .filter(({ metadata }) => metadata.labels?.['kubernetes.io/service-name'] === name)
    .flatMap((slice) => slice.endpoints ?? [])
    .filter(({ conditions, addresses }) => conditions?.ready !== false && addresses.length > 0)
  const chosen = ready[ready.length > 1 ? state.world.random.int(ready.length) : 0]
  if (chosen === undefined) throw new Error(`no endpoints available for service ${JSON.stringify(name)}`)
  const podName = chosen.targetRef?.kind === 'Pod' ? chosen.targetRef.name : undefined
  return {
    address: chosen.addresses[0] ?? '',
    pod: podName === undefined ? undefined : state.get(Pod, namespace, podName),
  }
}

function send(address: string, webhook: Webhook, body: string): Promise<string> {
  const { caBundle } = webhook.clientConfig
  const ca =
    caBundle === undefined || caBundle === '' ? undefined : Buffer.from(String(caBundle), 'base64').toString('utf8')
  const signal = AbortSignal.timeout(secondsOf(webhook) * 1000)
  return new Promise((resolve, reject) => {
    const headers = {
      'content-type': 'application/json',
      accept: 'application/json',
      'content-length': Buffer.byteLength(body),
    }
    // Webhooks are called over HTTPS only; a server that stands in for a pod may be a plain one on this machine.
    const open = address.startsWith('http:') ? httpRequest : httpsRequest
    const request = open(
      address,
      { method: 'POST', headers, signal, ...(ca === undefined ? {} : { ca }) },
      (response) => {
        const chunks: Buffer[] = []
        let bytes = 0
        response.on('data', (chunk: Buffer) => {
          bytes += chunk.length
          if (bytes > maxAnswerBytes) request.destroy(new Error('the answer is too long'))
          chunks.push(chunk)
        })
        response.on('error', reject)
        response.on('end', () => {
          const text = Buffer.concat(chunks).toString('utf8')
          if (response.statusCode === 200) resolve(text)
          else reject(new Error(`the server answered with HTTP ${response.statusCode}`))
        })
      },
    )
    request.on('error', (error) => reject(signal.aborted ? new Error('context deadline exceeded') : error))
    request.end(body)
  })
}
