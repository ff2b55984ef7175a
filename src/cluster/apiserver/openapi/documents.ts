// /openapi/v3 (an index, one document a group version) and /openapi/v2. Documents are large: they are made part by part
// when asked for, and kept until what is served changes.

import { createHash } from 'node:crypto'
import type { ApiRequest, ApiResponse } from '#api'
import { type Documentation, documentationDigest, loadDocumentation } from '#kinds'
import type { Core } from '../core.ts'
import { serverVersion } from '../discovery/version.ts'
import { viewOf } from '../metrics/resources.ts'
import type { Registry, Served } from '../served.ts'
import { contentOf, type Part } from './contents.ts'
import { groupPaths, rootPaths } from './fixed-paths.ts'
import { gnosticContentType, gnosticParts } from './gnostic-document.ts'
import { type Document, jsonParts, MadeOnce } from './made-once.ts'
import { swaggerDocument } from './v2.ts'
import { openApiDocument } from './v3.ts'

type Parts = MadeOnce<string> | MadeOnce<Uint8Array>

/** Documents kept at most: more than there are built-in group versions. */
const maxKept = 64
const yearMs = 365 * 24 * 3_600_000
const swaggerPath = '/openapi/v2'
const root = '/openapi/v3'

interface Kept {
  readonly generation: number
  readonly hashes: ReadonlyMap<string, string>
  readonly parts: Map<string, Parts>
}

const kept = new WeakMap<Core, Kept>()

/** Answers a path below /openapi; undefined when there is no such path. */
export async function openApi(core: Core, path: string, request: ApiRequest): Promise<ApiResponse | undefined> {
  const state = stateOf(core)
  if (path === root) return index(state)
  const name = path === swaggerPath ? '' : path.startsWith(`${root}/`) ? path.slice(root.length + 1) : undefined
  const hash = name === undefined ? undefined : state.hashes.get(name)
  if (name === undefined || hash === undefined) return nothing(404)
  const form = name === '' ? request.accept?.openApiV2 : 'json'
  if (form === undefined) return nothing(406)
  const asked = request.query?.['hash']
  if (name !== '' && asked !== undefined && asked !== '' && asked !== hash) return moved(name, hash)
  const documentation = await loadDocumentation()
  const parts = partsOf(state, `${name} ${form}`, () => made(core.registry, documentation, name, form))
  return {
    status: 200,
    headers: {
      etag: `"${hash}"`,
      vary: 'Accept',
      // Whoever names the hash of a document means this very one, for ever.
      ...(asked === hash
        ? { 'cache-control': 'public, immutable', expires: httpDate(core.world.clock.now() + yearMs) }
        : {}),
    },
    body: { type: 'parts', contentType: form === 'json' ? 'application/json' : gnosticContentType, parts },
  }
}

const httpDate = (ms: number): string => new Date(ms).toUTCString()

const nothing = (status: number): ApiResponse => ({
  status,
  body: { type: 'text', contentType: 'text/plain; charset=utf-8', text: '' },
})

const urlOf = (name: string, hash: string): string => `${root}/${name}?hash=${hash}`

function moved(name: string, hash: string): ApiResponse {
  const text = `<a href="${urlOf(name, hash)}">Moved Permanently</a>.\n\n`
  const headers = { location: urlOf(name, hash), vary: 'Accept' }
  return { status: 301, headers, body: { type: 'text', contentType: 'text/html; charset=utf-8', text } }
}

function index({ hashes }: Kept): ApiResponse {
  const names = [...hashes].filter(([name]) => name !== '')
  const text = JSON.stringify({
    paths: Object.fromEntries(names.map(([name, hash]) => [name, { serverRelativeURL: urlOf(name, hash) }])),
  })
  const headers = { etag: `"${hashOf(text)}"` }
  return { status: 200, headers, body: { type: 'text', contentType: 'application/json', text } }
}

function stateOf(core: Core): Kept {
  const { registry } = core
  const known = kept.get(core)
  if (known?.generation === registry.generation) return known
  const state: Kept = { generation: registry.generation, hashes: hashesOf(registry), parts: new Map() }
  kept.set(core, state)
  return state
}

function partsOf(state: Kept, name: string, make: () => Parts): Parts {
  const known = state.parts.get(name)
  if (known !== undefined) return known
  const parts = make()
  if (state.parts.size >= maxKept) state.parts.clear()
  state.parts.set(name, parts)
  return parts
}

function made(registry: Registry, documentation: Documentation, name: string, form: 'json' | 'protobuf'): Parts {
  const document = documentOf(registry, documentation, name)
  const joinText = (parts: readonly string[]): string => parts.join('')
  if (form === 'json') return new MadeOnce(() => jsonParts(document()), joinText)
  return new MadeOnce<Uint8Array>(
    () => gnosticParts(document()),
    (parts) => Buffer.concat(parts),
  )
}

function documentOf(registry: Registry, documentation: Documentation, name: string): () => Document {
  if (name === '') return () => swaggerDocument(contentOf(everything(registry), documentation))
  return () => openApiDocument(contentOf([partNamed(registry, name)], documentation))
}

const partNamed = (registry: Registry, name: string): Part => ({
  fixed: rootPaths[name] ?? (/^apis\/[^/]+$/.test(name) ? groupPaths(name.slice('apis/'.length)) : {}),
  resources: documented(registry).filter((served) => documentNameOf(served) === name),
})

const everything = (registry: Registry): readonly Part[] =>
  [...hashesOf(registry).keys()].filter((name) => name !== '').map((name) => partNamed(registry, name))

const documentNameOf = ({ info, apiVersion }: Served): string =>
  info.group === '' ? `api/${info.version}` : `apis/${apiVersion}`

/** Views have no schema to tell of. */
const documented = (registry: Registry): readonly Served[] =>
  [...registry.all()].filter((served) => viewOf(served) === undefined)

export const hashOf = (text: string): string =>
  createHash('sha512').update(`${serverVersion.gitVersion} ${documentationDigest} ${text}`).digest('hex').toUpperCase()

/** What each document depends on, hashed: clients keep documents by it. The empty name is that of OpenAPI v2. */
function hashesOf(registry: Registry): ReadonlyMap<string, string> {
  const contents = new Map<string, string>(Object.keys(rootPaths).map((name) => [name, '']))
  for (const served of documented(registry)) {
    const name = documentNameOf(served)
    const { resourceVersion = '' } = served.custom?.definition.metadata ?? {}
    contents.set(name, `${contents.get(name) ?? ''} ${served.info.resource}@${resourceVersion}`)
    if (served.info.group !== '' && served.custom === undefined) contents.set(`apis/${served.info.group}`, '')
  }
  const sorted = [...contents].sort(([a], [b]) => (a < b ? -1 : 1))
  const all = sorted.map(([name, text]) => [name, hashOf(`${name}${text}`)] as const)
  return new Map([...all, ['', hashOf(all.join())]])
}
