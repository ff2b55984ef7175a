// A real call of a webhook over HTTPS. Errors of Node's client are told in the words of Go's, which is what those who read
// the API server's answers know.

import { request as httpRequest } from 'node:http'
import { request as httpsRequest } from 'node:https'
import type { TLSSocket } from 'node:tls'

export const deadline = 'context deadline exceeded'

/** Answers longer than this are not read. */
const maxAnswerBytes = 3 * 1024 * 1024

export interface Answer {
  readonly status: number
  readonly text: string
  readonly contentType: string
}

export interface Posted {
  readonly body: string
  readonly timeoutMs: number
  /** Base64 of PEM; empty: the authorities that the system trusts. */
  readonly caBundle: string
}

export function send(address: string, { body, timeoutMs, caBundle }: Posted): Promise<Answer> {
  const ca = caBundle === '' ? undefined : Buffer.from(caBundle, 'base64').toString('utf8')
  const signal = AbortSignal.timeout(timeoutMs)
  const headers = {
    'content-type': 'application/json',
    accept: 'application/json, */*',
    'user-agent': 'kube-apiserver-admission',
    'content-length': Buffer.byteLength(body),
  }
  // Webhooks are called over HTTPS only; a server that stands in for a pod may be a plain one on this machine.
  const open = address.startsWith('http:') ? httpRequest : httpsRequest
  return new Promise((resolve, reject) => {
    const options = { method: 'POST', headers, signal, ...(ca === undefined ? {} : { ca }) }
    const request = open(address, options, (response) => {
      const chunks: Buffer[] = []
      let bytes = 0
      response.on('data', (chunk: Buffer) => {
        bytes += chunk.length
        if (bytes > maxAnswerBytes) request.destroy(new Error('the answer is too long'))
        chunks.push(chunk)
      })
      response.on('error', (error) => reject(signal.aborted ? new Error(deadline) : error))
      response.on('end', () =>
        resolve({
          status: response.statusCode ?? 0,
          text: Buffer.concat(chunks).toString('utf8'),
          contentType: response.headers['content-type'] ?? '',
        }),
      )
    })
    request.on('error', (error: NodeJS.ErrnoException) => {
      // A connection that was kept open may have ended meanwhile: that says nothing of the server of now.
      if (request.reusedSocket && error.code === 'ECONNRESET' && !signal.aborted)
        resolve(send(address, { body, timeoutMs, caBundle }))
      else
        reject(new Error(signal.aborted ? deadline : goErrorText(error, new URL(address), request.socket as TLSSocket)))
    })
    request.end(body)
  })
}

const untrusted = [
  'DEPTH_ZERO_SELF_SIGNED_CERT',
  'SELF_SIGNED_CERT_IN_CHAIN',
  'UNABLE_TO_VERIFY_LEAF_SIGNATURE',
  'UNABLE_TO_GET_ISSUER_CERT',
  'UNABLE_TO_GET_ISSUER_CERT_LOCALLY',
  'CERT_SIGNATURE_FAILURE',
]

/** What Go's client says where Node's gives this error. */
export function goErrorText(error: NodeJS.ErrnoException, { hostname, port }: URL, socket?: TLSSocket | null): string {
  const { code = '', message } = error
  const { address = hostname, port: dialledPort = port === '' ? 443 : port } = error as unknown as {
    readonly address?: string
    readonly port?: number
  }
  const tls = (why: string): string => `tls: failed to verify certificate: x509: ${why}`
  if (code === 'ECONNREFUSED') return `dial tcp ${address}:${dialledPort}: connect: connection refused`
  if (code === 'EHOSTUNREACH') return `dial tcp ${address}:${dialledPort}: connect: no route to host`
  if (code === 'ETIMEDOUT') return `dial tcp ${address}:${dialledPort}: i/o timeout`
  if (code === 'ENOTFOUND' || code === 'EAI_AGAIN') return `dial tcp: lookup ${hostname}: no such host`
  if (code === 'ECONNRESET') return 'EOF'
  if (code === 'EPROTO' || message.includes('wrong version number'))
    return 'http: server gave HTTP response to HTTPS client'
  if (untrusted.includes(code)) return tls('certificate signed by unknown authority')
  if (code === 'CERT_HAS_EXPIRED' || code === 'CERT_NOT_YET_VALID')
    return tls('certificate has expired or is not yet valid')
  if (code === 'ERR_TLS_CERT_ALTNAME_INVALID') return tls(namesText(error, hostname, socket))
  return message
}

function namesText(error: Error, hostname: string, socket?: TLSSocket | null): string {
  const { cert } = error as { readonly cert?: { readonly subjectaltname?: string } }
  const listed = cert?.subjectaltname ?? socket?.getPeerCertificate?.().subjectaltname ?? ''
  const isAddress = /^[\d.]+$|:/.test(hostname)
  const kind = isAddress ? 'IP Address:' : 'DNS:'
  const names = listed
    .split(', ')
    .filter((name) => name.startsWith(kind))
    .map((name) => name.slice(kind.length))
  if (names.length > 0) return `certificate is valid for ${names.join(', ')}, not ${hostname}`
  if (isAddress) return `cannot validate certificate for ${hostname} because it doesn't contain any IP SANs`
  return `certificate is not valid for any names, but wanted to match ${hostname}`
}

const plainTexts: Readonly<Record<number, string>> = {
  400: 'the server rejected our request for an unknown reason',
  401: 'the server has asked for the client to provide credentials',
  404: 'the server could not find the requested resource',
  405: 'the server does not allow this method on the requested resource',
  409: 'the server reported a conflict',
  422: 'the server rejected our request due to an error in our request',
  429: 'the server has received too many requests and has asked us to try again later',
  503: 'the server is currently unable to handle the request',
  504: 'the server was unable to return a response in the time allotted, but may still be processing the request',
}

/** What a client of Kubernetes makes of an answer that is none. */
export function answerError(status: number, text: string, contentType: string): string {
  const said = contentType.startsWith('text/') || contentType === '' ? text.trim() : 'unknown'
  const known = plainTexts[status]
  if (known !== undefined) return known
  if ([403, 406, 415].includes(status)) return said
  if (status >= 500) return `an error on the server (${JSON.stringify(said)}) has prevented the request from succeeding`
  return `the server responded with the status code ${status} but did not return more information`
}
