// Groups and versions that another server answers for, behind a Service: whether it does is written to the APIService's status,
// and requests are led there. It is looked at when the APIService, the Service or its endpoints change, and again every
// half a minute while nobody answers.

import { ApiError, type ApiRequest, type ApiResponse } from '#api'
import { APIService, type EndpointSlice, type Service } from '#kinds'
import type { Entry } from '#store'
import type { Core } from '../core.ts'
import { rewrite } from '../rewrite.ts'
import { backendOf, exchange } from '../service-backend.ts'
import { decideReachable, failed, passed, type Reference, type Seen, type Verdict, withVerdict } from './decide.ts'
import { apiServiceBucket, specOfService } from './registration.ts'

const againMs = 30_000
const usualPort = 443
const serviceNameLabel = 'kubernetes.io/service-name'

export class RemoteApis {
  readonly #core: Core
  /** By APIService: the key of its Service. */
  readonly #services = new Map<string, string>()
  readonly #waiting = new Set<string>()
  readonly #closing = new AbortController()

  constructor(core: Core) {
    this.#core = core
    core.onClose.add(() => this.#closing.abort())
  }

  start(): void {
    for (const entry of this.#core.store.list(apiServiceBucket).entries) this.serviceWritten(entry, undefined)
  }

  serviceWritten(current: Entry | undefined, previous: Entry | undefined): void {
    const name = (current ?? previous)?.key ?? ''
    const of = current === undefined ? undefined : referenceOf(current)
    if (of === undefined) this.#services.delete(name)
    else {
      this.#services.set(name, `${of.namespace}/${of.name}`)
      if (current?.value['spec'] !== previous?.value['spec']) this.#look(name)
    }
  }

  /** A Service was written, or a slice of one. */
  endpointsWritten(entry: Entry): void {
    if (this.#services.size === 0) return
    const { namespace = '', name = '', labels } = entry.value.metadata
    const service = `${namespace}/${labels?.[serviceNameLabel] ?? name}`
    for (const [api, of] of this.#services) if (of === service || of === `${namespace}/${name}`) this.#look(api)
  }

  /** The answer to a request that this server cannot answer itself; undefined when nobody else is named for it. */
  answer(request: ApiRequest, signal: AbortSignal): Promise<ApiResponse> | undefined {
    if (this.#services.size === 0) return undefined
    const { group, version } = request.resource ?? partsOf(request.path ?? '')
    const entry = this.#core.store.get(apiServiceBucket, `${version}.${group}`)
    const of = entry === undefined ? undefined : referenceOf(entry)
    if (entry === undefined || of === undefined) return undefined
    const conditions = (entry.value as unknown as APIService).status?.conditions ?? []
    const isAvailable = conditions.some(({ type, status }) => type === 'Available' && status === 'True')
    if (!isAvailable) return Promise.resolve(unavailablePage('service unavailable'))
    return this.#ask(of, request, signal).catch((error: unknown) => {
      if (error instanceof ApiError) return unavailablePage(error.message)
      throw error
    })
  }

  async #ask(of: Reference, request: ApiRequest, signal: AbortSignal): Promise<ApiResponse> {
    const reachable = decideReachable(of, this.#see(of))
    if (typeof reachable !== 'string') return unavailablePage('service unavailable')
    const backend = backendOf(this.#core, { namespace: of.namespace, service: of.name, port: reachable })
    return exchange(this.#core, backend, { verb: request.verb, url: urlOf(request) }, signal)
  }

  #look(name: string, delayMs = 0): void {
    const { clock } = this.#core.world
    if (delayMs > 0) {
      clock.after(delayMs, `apiservice ${name} again`, () => this.#look(name))
      return
    }
    if (this.#closing.signal.aborted || this.#waiting.has(name)) return
    this.#waiting.add(name)
    clock.soon(`apiservice ${name} availability`, () => {
      this.#waiting.delete(name)
      if (!this.#closing.signal.aborted) void this.#check(name)
    })
  }

  async #check(name: string): Promise<void> {
    const entry = this.#core.store.get(apiServiceBucket, name)
    const of = entry === undefined ? undefined : referenceOf(entry)
    if (entry === undefined || of === undefined) return
    const verdict = await this.#verdict(entry, of)
    const latest = this.#core.store.get(apiServiceBucket, name)
    const served = this.#core.registry.find(APIService)
    if (latest === undefined || served === undefined || this.#closing.signal.aborted) return
    if (latest.value['spec'] !== entry.value['spec']) return
    const { status } = latest.value as unknown as APIService
    rewrite(this.#core, served, latest, {
      ...latest.value,
      status: withVerdict(status, verdict, this.#core.timestamp()),
    })
    if (verdict.reason === 'FailedDiscoveryCheck') this.#look(name, againMs)
  }

  async #verdict(entry: Entry, of: Reference): Promise<Verdict> {
    const seen = this.#see(of)
    const reachable = decideReachable(of, seen)
    if (typeof reachable !== 'string') return reachable
    const { group = '', version = '' } = specOfService(entry.value)
    const path = `/apis/${group}/${version}`
    const url = `https://${seen.service?.spec?.clusterIP ?? of.name}:${of.port}${path}`
    const missing = (why: string): Verdict => failed(`failing or missing response from ${url}: ${why}`)
    try {
      const backend = backendOf(this.#core, { namespace: of.namespace, service: of.name, port: reachable })
      const { status } = await exchange(this.#core, backend, { verb: 'get', url: path }, this.#closing.signal)
      return status >= 200 && status < 300 ? passed : missing(`bad status from ${url}: ${status}`)
    } catch (error) {
      if (!(error instanceof ApiError)) throw error
      return missing(`Get ${JSON.stringify(url)}: ${error.message.replace(/^error trying to reach service: /, '')}`)
    }
  }

  #see({ namespace, name }: Reference): Seen {
    const { store } = this.#core
    const slices = store
      .list('endpointslices.discovery.k8s.io', { prefix: `${namespace}/` })
      .entries.filter(({ value }) => value.metadata.labels?.[serviceNameLabel] === name)
    return {
      service: store.get('services', `${namespace}/${name}`)?.value as unknown as Service | undefined,
      slices: slices.map(({ value }) => value as unknown as EndpointSlice),
    }
  }
}

function referenceOf({ value }: Entry): Reference | undefined {
  const { service } = specOfService(value)
  if (service === undefined) return undefined
  return { namespace: service.namespace ?? '', name: service.name ?? '', port: service.port ?? usualPort }
}

function partsOf(path: string): { readonly group: string; readonly version: string } {
  const [, root, group = '', version = ''] = path.split('/')
  return root === 'apis' ? { group, version } : { group: '', version: '' }
}

function urlOf({ resource, namespace, name, subresource, path }: ApiRequest): string {
  if (resource === undefined) return path ?? '/'
  const parts = ['/apis', resource.group, resource.version]
  if (namespace !== undefined && namespace !== '') parts.push('namespaces', namespace)
  parts.push(resource.resource)
  for (const part of [name, subresource]) if (part !== undefined && part !== '') parts.push(part)
  return parts.join('/')
}

const unavailablePage = (why: string): ApiResponse => ({
  status: 503,
  body: { type: 'text', contentType: 'text/plain; charset=utf-8', text: `${why}\n` },
})
