// One request on its way: what it is about, its options and the warnings gathered so far. Verbs get a Scope and nothing
// else of the request.

import type { ApiRequest } from '#api'
import type { Core } from './core.ts'
import type { Occasion } from './hooks.ts'
import { dryRunOf } from './query-values.ts'
import type { Served } from './served.ts'

export class Scope implements Occasion {
  readonly core: Core
  readonly served: Served
  readonly request: ApiRequest
  readonly signal: AbortSignal
  readonly #warnings: string[]

  constructor(core: Core, served: Served, request: ApiRequest, signal: AbortSignal, warnings: string[] = []) {
    this.core = core
    this.served = served
    this.request = request
    this.signal = signal
    this.#warnings = warnings
  }

  get namespace(): string | undefined {
    return this.request.namespace
  }

  get name(): string {
    return this.request.name ?? ''
  }

  get subresource(): string {
    return this.request.subresource ?? ''
  }

  query(name: string): string | undefined {
    return this.request.query?.[name]
  }

  /** World time as metadata carries it. */
  now(): string {
    return this.core.timestamp()
  }

  /** Warnings are said once, in the order in which they came up. */
  warn(text: string): void {
    if (!this.#warnings.includes(text)) this.#warnings.push(text)
  }

  get warnings(): readonly string[] | undefined {
    return this.#warnings.length === 0 ? undefined : this.#warnings
  }

  get dryRun(): boolean {
    const dryRun = this.request.query?.['dryRun']
    return dryRun !== undefined && dryRunOf(dryRun).includes('All')
  }

  /** The manager that a write is recorded under: `fieldManager`, else the first part of the user agent. */
  get manager(): string {
    const named = this.request.query?.['fieldManager']
    if (named !== undefined && named !== '') return named
    return managerOf(this.request.caller.userAgent)
  }

  /** The same request about one object of the collection (or of another), with the same warnings. */
  about(namespace: string | undefined, name: string, change: Partial<ApiRequest> = {}): Scope {
    const { namespace: _namespace, ...request } = this.request
    const next = { ...request, ...(namespace === undefined ? {} : { namespace }), name, ...change }
    return new Scope(this.core, this.served, next, this.signal, this.#warnings)
  }
}

const managers = new Map<string, string>()
/** Clients choose their user agents: beyond this many, all are forgotten. */
const maxManagers = 1000

function managerOf(agent: string): string {
  let manager = managers.get(agent)
  if (manager !== undefined) return manager
  const slash = agent.indexOf('/')
  manager = slash < 0 ? agent : agent.slice(0, slash)
  if (managers.size >= maxManagers) managers.clear()
  managers.set(agent, manager)
  return manager
}
