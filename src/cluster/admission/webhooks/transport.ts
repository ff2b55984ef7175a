// Sends an AdmissionReview to where a webhook says it listens. Addresses outside of the cluster are really called;
// Services of the cluster have no network behind them, and answer as Services whose pods do not listen.

import { request as httpsRequest } from 'node:https'
import { EndpointSlice, Service } from '#kinds'
import type { AdmissionState } from '../plugin.ts'
import type { Webhook } from './match.ts'

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
  try {
    if (webhook.clientConfig.service !== undefined) throw new Error(serviceFault(webhook, state))
    return await state.world.clock.outside(`webhook ${webhook.name}`, () => send(address, webhook, body))
  } catch (error) {
    throw new Error(`Post ${JSON.stringify(address)}: ${error instanceof Error ? error.message : String(error)}`)
  }
}

function serviceFault({ clientConfig }: Webhook, state: AdmissionState): string {
  const { name = '', namespace = '', port = 443 } = clientConfig.service ?? {}
  const service = state.get(Service, namespace, name)
  if (service === undefined) return `service ${JSON.stringify(name)} not found`
  const open = service.spec?.ports?.some((one) => one.port === port)
  if (open !== true) return `no service port ${port} found for service ${JSON.stringify(name)}`
  const addresses = state
    .list(EndpointSlice, namespace)
    .filter(({ metadata }) => metadata.labels?.['kubernetes.io/service-name'] === name)
    .flatMap((slice) => slice.endpoints ?? [])
    .filter(({ conditions }) => conditions?.ready !== false)
    .flatMap((endpoint) => endpoint.addresses)
  const [address] = addresses
  if (address === undefined) return `no endpoints available for service ${JSON.stringify(name)}`
  return `dial tcp ${address}:${port}: connect: connection refused`
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
    const request = httpsRequest(
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
