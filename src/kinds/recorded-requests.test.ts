// The recorded requests that create objects, without a server: what a real API server took has no fault and keeps its
// defaults, what it refused has the faults that it told. Faults of metadata are the API server's own.
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import type { StatusCause } from '#api'
import { type AnyObject, applySchemaDefaults, DecodeError, decode, type JsonObject } from '#objects'
import { toCause } from './field-error.ts'
import { resourceTable } from './generated/resources.ts'
import type { Service } from './generated/types.ts'
import type { KindRules } from './kind.ts'
import { kindRules } from './registry.ts'
import { builtInSchema } from './schema/index.ts'
import { needsHealthCheckPort, normalizeClusterIPs } from './service/index.ts'

type Cause = Pick<StatusCause, 'field' | 'message'>

interface Step {
  readonly method: string
  readonly path: string
  readonly body: unknown
  readonly expect: {
    readonly code: number
    readonly body?: { readonly details?: { readonly causes?: readonly Cause[] } }
  }
}

interface Recorded {
  readonly name: string
  readonly rules: KindRules<AnyObject>
  /** Decoded and with the defaults of the schema. */
  readonly object: AnyObject
  readonly expect: Step['expect']
}

const folder = join(import.meta.dirname, '../../test/golden/cassettes')

/** Recordings of what other parts of the server say. */
const elsewhere = new Set([
  'validation/service-clusterip-out-of-range', // allocation
  'validation/service-nodeport-range',
])

const path =
  /^\/apis?\/(?:(?<group>[^/]+\.[^/]+|apps|batch|autoscaling|policy)\/)?(?<version>v\d\w*)\/(?:namespaces\/[^/]+\/)?(?<resource>[a-z]+)$/

function recorded(name: string, { path: url, body, expect: outcome }: Step): readonly Recorded[] {
  const { group = '', version, resource } = path.exec(url.replaceAll(/\$\{ns\}/g, 'ns'))?.groups ?? {}
  const info = resourceTable.find((row) => row.group === group && row.version === version && row.resource === resource)
  const rules = kindRules.find(
    ({ kind }) => kind.group === group && kind.version === version && kind.resource === resource,
  )
  const schema = info && builtInSchema(info.group, info.version, info.kind)
  const usable = [201, 422].includes(outcome.code) && typeof body === 'object' && body !== null
  // Kinds that are stored in another version have rules for that one.
  const converted = info?.group === 'events.k8s.io' || (info?.group === 'autoscaling' && info.version === 'v1')
  if (!usable || info === undefined || rules === undefined || schema === undefined || converted) return []
  if (elsewhere.has(name)) return []
  try {
    const given = JSON.parse(JSON.stringify(body).replaceAll(/\$\{ns\}/g, 'ns')) as AnyObject
    const object = applySchemaDefaults(decode(given, schema).value, schema) as AnyObject
    const metadata = {
      ...object.metadata,
      name: object.metadata.name ?? 'made',
      uid: 'ea4e0a6c-0000-4000-8000-000000000000',
      creationTimestamp: '2025-01-01T00:00:00Z',
      ...(info.namespaced ? { namespace: 'ns' } : {}),
    }
    return [{ name, rules: rules as unknown as KindRules<AnyObject>, object: { ...object, metadata }, expect: outcome }]
  } catch (error) {
    if (error instanceof DecodeError) return []
    throw error
  }
}

const all = readdirSync(folder).flatMap((area) =>
  readdirSync(join(folder, area)).flatMap((file) => {
    const cassette = JSON.parse(readFileSync(join(folder, area, file), 'utf8')) as { name: string; steps: Step[] }
    return cassette.steps.filter(({ method }) => method === 'POST').flatMap((step) => recorded(cassette.name, step))
  }),
)

/** What admission and allocation fill in before an object is checked. */
function assigned(object: AnyObject): AnyObject {
  const spec = (object['spec'] ?? {}) as JsonObject
  if (object.kind === 'Pod') return { ...object, spec: { ...spec, serviceAccountName: 'default' } }
  if (object.kind !== 'Service') return object
  const { spec: given = {}, ...service } = normalizeClusterIPs(object as unknown as Service, undefined)
  const healthCheckNodePort = needsHealthCheckPort(given) ? { healthCheckNodePort: 30000 } : {}
  return { ...service, spec: { ...given, ...healthCheckNodePort } } as AnyObject
}

const prepared = ({ rules, object }: Recorded): AnyObject => {
  const full = assigned(rules.defaults?.(object) ?? object)
  return rules.prepareForCreate?.(full) ?? full
}

describe.each(all.filter(({ expect: { code } }) => code === 201))('$name', (one) => {
  it('is taken', () => {
    expect(one.rules.validate?.(prepared(one)) ?? []).toEqual([])
  })

  it('gets its defaults once, and shares them then', () => {
    const once = one.rules.defaults?.(one.object) ?? one.object
    expect(one.rules.defaults?.(once) ?? once).toBe(once)
  })

  it('has a cell for each column', () => {
    const object = prepared(one)
    for (const { cell } of one.rules.columns ?? [])
      expect(['string', 'number', 'boolean']).toContain(typeof cell(object, Date.parse('2025-01-02T00:00:00Z')))
  })
})

const told = ({ field, message }: Cause): string => `${field}: ${message}`
const ownFaults = (causes: readonly Cause[]): readonly string[] =>
  causes
    .map(told)
    .filter((text) => !text.startsWith('metadata.'))
    .sort()

/** Where the recording has a placeholder, anything may stand. */
const pattern = (text: string): RegExp =>
  new RegExp(
    `^${text
      .split(/<\w+(?::\d+)?>/)
      .map((part) => part.replace(/[.*+?^${}()|[\]\\]/g, '\\$&'))
      .join('.*')}$`,
    's',
  )

describe.each(all.filter(({ expect: { code } }) => code === 422))('$name', (one) => {
  it('is refused in the recorded words', () => {
    const faults = ownFaults((one.rules.validate?.(prepared(one)) ?? []).map(toCause))
    const causes = ownFaults(one.expect.body?.details?.causes ?? [])
    expect(faults).toEqual(causes.map((text) => expect.stringMatching(pattern(text))))
  })
})
