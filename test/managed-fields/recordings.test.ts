// Managed fields and server-side apply, without a server: every recorded request is applied to the recorded object before
// it, and must lead to the recorded managed fields or the recorded refusal.
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { builtInSchema, schemaOfCustomResource } from '#kinds'
import {
  type AnyObject,
  applyServerSide,
  type JsonObject,
  type ManagedFieldsEntry,
  parseYaml,
  type Schema,
  updateManagedFields,
} from '#objects'

interface Step {
  readonly name: string
  readonly method?: string
  readonly path?: string
  readonly contentType?: string
  readonly body?: unknown
  readonly pick?: unknown
  readonly expect?: { readonly code: number; readonly body?: AnyObject & { readonly message?: string } }
}

interface Cassette {
  readonly name: string
  readonly managedFields?: boolean
  readonly dropManagers?: readonly string[]
  readonly steps: readonly Step[]
}

const root = join(import.meta.dirname, '../golden/cassettes')
const now = '2025-01-01T00:00:00Z'

const cassettes = readdirSync(root)
  .flatMap((area) => readdirSync(join(root, area)).map((file) => join(root, area, file)))
  .map((file) => JSON.parse(readFileSync(file, 'utf8')) as Cassette)
  .filter(({ managedFields }) => managedFields === true)

/** Placeholders as values of their type. */
function filled<T>(value: T): T {
  if (value === undefined) return value
  const text = JSON.stringify(value)
    .replaceAll('"<time>"', `"${now}"`)
    .replace(/\$\{ns\}/g, 'ns')
    .replaceAll('<ns>', 'ns')
    .replace(/\$\{step\.[^}]*uid\}/g, 'uid-1')
    .replace(/<uid:(\d)>/g, 'uid-$1')
  return JSON.parse(text) as T
}

type Entries = readonly ManagedFieldsEntry[]

const split = (object: AnyObject): { readonly object: AnyObject; readonly managedFields: Entries } => {
  const { managedFields = [], ...metadata } = object.metadata
  return { object: { ...object, metadata }, managedFields }
}

const comparable = (entries: Entries, dropped: readonly string[]): unknown =>
  entries
    .filter(({ manager }) => !dropped.includes(manager ?? ''))
    .map(({ time, ...entry }) => ({ ...entry, timed: time !== undefined }))
    .sort((a, b) => (JSON.stringify([a.manager, a.operation]) < JSON.stringify([b.manager, b.operation]) ? -1 : 1))

class Replay {
  readonly #live = new Map<string, ReturnType<typeof split>>()
  readonly #schemas = new Map<string, Schema>()
  readonly #dropped: readonly string[]

  constructor(cassette: Cassette) {
    this.#dropped = cassette.dropManagers ?? []
    for (const { body } of cassette.steps) this.#learn(filled(body) as AnyObject | undefined)
  }

  #learn(body: AnyObject | undefined): void {
    if (body?.kind !== 'CustomResourceDefinition') return
    const { group, names, versions } = body['spec'] as {
      group: string
      names: { kind: string }
      versions: { name: string; schema: { openAPIV3Schema: JsonObject } }[]
    }
    for (const { name, schema } of versions)
      this.#schemas.set(`${group}/${name}/${names.kind}`, schemaOfCustomResource(schema.openAPIV3Schema))
  }

  #schemaOf({ apiVersion, kind }: AnyObject): Schema | undefined {
    const [version = '', group = ''] = apiVersion.split('/').reverse()
    return builtInSchema(group, version, kind) ?? this.#schemas.get(`${group}/${version}/${kind}`)
  }

  step(step: Step): void {
    const [path = '', query = ''] = filled(step.path ?? '').split('?')
    const body = filled(step.expect?.body)
    const parent = path.replace(/\/(status|scale|resize|ephemeralcontainers)$/, '')
    const subresource = path.slice(parent.length + 1)
    const key = step.method === 'POST' ? `${path}/${body?.metadata?.name}` : parent
    const sent = (
      typeof step.body === 'string' && body?.kind !== 'Status' ? parseYaml(step.body).value : filled(step.body)
    ) as AnyObject
    const parameters = new URLSearchParams(query)
    const write = {
      manager: parameters.get('fieldManager') ?? 'replay',
      subresource,
      before: this.#live.get(key),
    }
    if (body?.kind !== undefined && step.pick === undefined && body.kind !== 'Scale') {
      if (step.contentType === 'application/apply-patch+yaml')
        this.#apply({ ...write, sent, body, code: step.expect?.code, force: parameters.get('force') === 'true' })
      else if (
        step.method !== undefined &&
        step.method !== 'GET' &&
        body.kind !== 'Status' &&
        sent?.metadata?.managedFields === undefined
      )
        this.#update({ ...write, body, isNew: step.method === 'POST' })
      if (body.kind !== 'Status') this.#live.set(key, split(body))
    } else if (step.method !== undefined && step.method !== 'GET') this.#live.delete(key)
  }

  #update({ before, body, isNew, manager, subresource }: Update): void {
    const schema = this.#schemaOf(body)
    if (schema === undefined || (before === undefined && !isNew)) return
    const { object, managedFields } = split(body)
    const computed = updateManagedFields({
      live: before?.object,
      incoming: object,
      managedFields: before?.managedFields ?? [],
      schema,
      manager,
      apiVersion: body.apiVersion,
      subresource,
      time: now,
    })
    expect(comparable(computed, this.#dropped)).toEqual(comparable(managedFields, this.#dropped))
  }

  #apply({ before, sent, body, code, force, manager, subresource }: ApplyStep): void {
    const failed = body.kind === 'Status'
    if (failed ? body['reason'] !== 'Conflict' && body['code'] !== 500 : before === undefined && code === 200) return
    const schema = this.#schemaOf(sent)
    if (schema === undefined) return
    const outcome = applyServerSide({
      live: before?.object,
      liveManagedFields: before?.managedFields ?? [],
      config: sent,
      manager,
      force,
      schema,
      apiVersion: sent.apiVersion,
      subresource,
      now,
    })
    if (outcome.type === 'applied') {
      expect(failed, String(body.message)).toBe(false)
      expect(comparable(outcome.managedFields, this.#dropped)).toEqual(
        comparable(split(body).managedFields, this.#dropped),
      )
      return
    }
    if (outcome.type === 'invalid') expect(outcome.message).toBe(body.message)
    else {
      expect(outcome.error.message).toBe(body.message)
      expect(outcome.error.details).toEqual(body['details'])
    }
  }
}

interface Write {
  readonly before: ReturnType<typeof split> | undefined
  readonly body: AnyObject & { readonly message?: string }
  readonly manager: string
  readonly subresource: string
}
interface Update extends Write {
  readonly isNew: boolean
}
interface ApplyStep extends Write {
  readonly sent: AnyObject
  readonly code: number | undefined
  readonly force: boolean
}

describe('recorded managed fields', () => {
  it.each(cassettes.map((cassette) => [cassette.name, cassette] as const))('%s', (_, cassette) => {
    const replay = new Replay(cassette)
    for (const step of cassette.steps) {
      try {
        replay.step(step)
      } catch (error) {
        if (error instanceof Error) error.message = `step ${step.name}: ${error.message}`
        throw error
      }
    }
  })
})
