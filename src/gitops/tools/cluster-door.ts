// The cluster as one run of helm sees it: a door on loopback that is made for the run and gone with it, behind a path that
// nobody else knows. It reads no cluster. It hands out the answers that it was given, and notes what it has none for.

import { randomBytes } from 'node:crypto'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { groupList, resourceList, versionInfo } from './cluster-discovery.ts'
import { type ClusterView, type LookupQuestion, questionText } from './lookup.ts'

export interface ClusterDoor {
  /** The text of a kubeconfig that leads here. */
  readonly kubeconfig: string
  /** What was asked and answered. */
  readonly used: ReadonlyMap<string, LookupQuestion>
  /** What was asked and is not known here. */
  readonly asked: ReadonlyMap<string, LookupQuestion>
  close(): Promise<void>
}

/** Each `lookup` is two requests. */
const maxRequests = 2000

export async function openClusterDoor(view: ClusterView): Promise<ClusterDoor> {
  // client-go sends tokens over TLS alone, so that the secret is part of the address.
  const secret = randomBytes(32).toString('hex')
  const used = new Map<string, LookupQuestion>()
  const asked = new Map<string, LookupQuestion>()
  let requests = 0
  const server = createServer((request, response) => {
    requests += 1
    send(response, requests > maxRequests ? tooMany : replyTo(request, secret, { view, used, asked }))
  })
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject)
    server.listen({ host: '127.0.0.1', port: 0 }, resolve)
  })
  const { port } = server.address() as AddressInfo
  return {
    kubeconfig: kubeconfigOf(`http://127.0.0.1:${port}/${secret}`),
    used,
    asked,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
}

const kubeconfigOf = (server: string): string =>
  JSON.stringify({
    apiVersion: 'v1',
    kind: 'Config',
    clusters: [{ name: 'destination', cluster: { server } }],
    contexts: [{ name: 'destination', context: { cluster: 'destination', user: '' } }],
    'current-context': 'destination',
  })

interface Reply {
  readonly code: number
  readonly object: object
  /** Of the media type. */
  readonly parameters?: string
}

const found = (object: object): Reply => ({ code: 200, object })

const reasons: Readonly<Record<number, string>> = { 403: 'Forbidden', 404: 'NotFound', 405: 'MethodNotAllowed' }

const refused = (code: number, message: string): Reply => ({
  code,
  object: { kind: 'Status', apiVersion: 'v1', status: 'Failure', reason: reasons[code], message, code },
})

const tooMany = refused(403, `a chart may look up ${maxRequests / 2} times`)

const notServed = refused(403, 'the destination cluster does not serve the kind that is looked up')

interface Run {
  readonly view: ClusterView
  readonly used: Map<string, LookupQuestion>
  readonly asked: Map<string, LookupQuestion>
}

function replyTo({ method, url = '' }: IncomingMessage, secret: string, run: Run): Reply {
  const { view } = run
  const [whole = '', query] = url.split('?')
  if (!whole.startsWith(`/${secret}/`)) return refused(404, 'there is nothing here')
  if (method !== 'GET') return refused(405, 'it can only be read')
  const path = whole.slice(secret.length + 1)
  if (path === '/version') return found(versionInfo(view.kubeVersion))
  // Whoever asks what is served says how long he waits. Of a kind that is not, helm asks for its name as if it were a version.
  const isDiscovery = new URLSearchParams(query).has('timeout')
  if (!isDiscovery && (path === '/api' || path === '/apis')) return notServed
  if (path === '/api' || path === '/apis')
    return {
      ...found(groupList(view.apiVersions, path)),
      parameters: ';g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList',
    }
  const place = placeOf(path)
  if (place === undefined || (typeof place === 'string' && !isDiscovery)) return notServed
  if (typeof place !== 'string') return look(place, run)
  const list = resourceList(view.served, place)
  return list === undefined ? refused(404, `the destination cluster does not serve ${place}`) : found(list)
}

function look(question: LookupQuestion, { view, used, asked }: Run): Reply {
  const text = questionText(question)
  const known = view.answers.get(text)
  if (known === undefined) {
    asked.set(text, question)
    // The template goes on, so that one run finds as many questions as it can.
    return refused(404, 'it has not been asked for yet')
  }
  used.set(text, question)
  if (known.type === 'found') return found(known.object)
  return known.type === 'absent' ? refused(404, 'it is not there') : refused(403, known.reason)
}

/** What is looked up, or the group and version whose kinds are asked for; undefined: neither. */
function placeOf(path: string): LookupQuestion | string | undefined {
  const steps = path.split('/').slice(1).map(decoded)
  const [root, first = '', second = ''] = steps
  const depth = root === 'api' ? 2 : 3
  if ((root !== 'api' && root !== 'apis') || steps.length < depth || steps.some((step) => step === '')) return undefined
  const apiVersion = root === 'api' ? first : `${first}/${second}`
  const rest = steps.slice(depth)
  if (rest.length === 0) return apiVersion
  const [namespace, [kind = '', name = '', ...more]] =
    rest[0] === 'namespaces' ? [rest[1] ?? '', rest.slice(2)] : ['', rest]
  return kind === '' || more.length > 0 ? undefined : { apiVersion, kind, namespace, name }
}

/** Empty for what cannot be read. */
function decoded(step: string): string {
  try {
    return decodeURIComponent(step)
  } catch {
    return ''
  }
}

function send(response: ServerResponse, { code, object, parameters = '' }: Reply): void {
  response.statusCode = code
  response.setHeader('content-type', `application/json${parameters}`)
  response.end(JSON.stringify(object))
}
