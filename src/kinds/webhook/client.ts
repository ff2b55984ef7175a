// How a webhook is reached: by URL or by a Service (apiserver/pkg/util/webhook/validation.go).

import { type FieldError, invalid, required } from '../field-error.ts'
import { dnsSubdomain, portNumber } from '../metadata/formats.ts'

export interface ServiceReference {
  readonly name?: string
  readonly namespace?: string
  readonly path?: string
  readonly port?: number
}

export interface WebhookClient {
  readonly url?: string
  readonly service?: ServiceReference
}

export const defaultServicePort = 443

export function checkClient({ url, service }: WebhookClient, path: string, errors: FieldError[]): void {
  if ((url === undefined) === (service === undefined))
    errors.push(required(path, 'exactly one of url or service is required'))
  else if (url !== undefined) checkUrl(url, `${path}.url`, errors)
  else if (service !== undefined) checkService(service, `${path}.service`, errors)
}

const form = '; desired format: https://host[/path]'
const parts = /^(?:([A-Za-z][A-Za-z0-9+.-]*):)?(?:\/\/(?:([^/?#@]*)@)?([^/?#]*))?([^?#]*)(?:\?([^#]*))?(?:#(.*))?$/

function checkUrl(url: string, path: string, errors: FieldError[]): void {
  const match = parts.exec(url)
  if (match === null) {
    errors.push(required(path, `url must be a valid URL: parse ${JSON.stringify(url)}: invalid URL${form}`))
    return
  }
  const [, scheme = '', user, host = '', , query = '', fragment = ''] = match
  if (scheme.toLowerCase() !== 'https')
    errors.push(invalid(path, scheme.toLowerCase(), `'https' is the only allowed URL scheme${form}`))
  if (host === '') errors.push(invalid(path, host, `host must be specified${form}`))
  if (user !== undefined) errors.push(invalid(path, user, 'user information is not permitted in the URL'))
  if (fragment !== '') errors.push(invalid(path, fragment, 'fragments are not permitted in the URL'))
  if (query !== '') errors.push(invalid(path, query, 'query parameters are not permitted in the URL'))
}

function checkService(service: ServiceReference, path: string, errors: FieldError[]): void {
  const { name, namespace, path: urlPath, port = 0 } = service
  // Kubernetes hands the two over the other way round, and so misses the one where the other is missing.
  if (!namespace) errors.push(required(`${path}.name`))
  if (!name) errors.push(required(`${path}.namespace`))
  const portFaults = portNumber(port)
  if (portFaults.length > 0) errors.push(invalid(`${path}.port`, port, `port is not valid: ${portFaults.join(', ')}`))
  if (urlPath !== undefined) checkServicePath(urlPath, `${path}.path`, errors)
}

function checkServicePath(urlPath: string, path: string, errors: FieldError[]): void {
  if (urlPath === '' || urlPath === '/') return
  if (urlPath === '//') {
    errors.push(invalid(path, urlPath, 'segment[0] may not be empty'))
    return
  }
  if (!urlPath.startsWith('/')) errors.push(invalid(path, urlPath, "must start with a '/'"))
  urlPath
    .slice(1)
    .replace(/\/$/, '')
    .split('/')
    .forEach((step, i) => {
      if (step === '') errors.push(invalid(path, urlPath, `segment[${i}] may not be empty`))
      else for (const fault of dnsSubdomain(step)) errors.push(invalid(path, urlPath, `segment[${i}]: ${fault}`))
    })
}
