// One file's bytes as Kubernetes objects, with what is wrong in it by line and column. A faulty document does not keep
// the others of its file from being read. What counts as a manifest, and what is skipped, is Argo CD's rule.

import { type AnyObject, isJsonMap, isNestedTooDeeply, type Json, type JsonObject } from '#objects'
import { jsonFaultOffset } from './json-fault.ts'
import { isPointerText, pointerMessage } from './lfs-pointer.ts'
import { DecodeFault, decodeText, positionAt, splitDocuments } from './yaml-stream.ts'
import { nestedTooDeeply, parseYamlDocument, YamlFault } from './yaml-value.ts'

export interface FileProblem {
  readonly line: number
  readonly column: number
  readonly message: string
}

export interface FileObject {
  readonly object: AnyObject
  /** Line on which its document begins. */
  readonly line: number
}

export interface FileContent {
  readonly objects: readonly FileObject[]
  readonly problems: readonly FileProblem[]
}

const nothing: FileContent = { objects: [], problems: [] }
const skipMarker = '+argocd:skip-file-rendering'

/** `name` only decides between JSON (one object) and YAML (a stream). */
export function readManifestFile(name: string, bytes: Uint8Array): FileContent {
  let text: string
  try {
    text = decodeText(bytes)
  } catch (error) {
    if (error instanceof DecodeFault) return { objects: [], problems: [{ line: 1, column: 1, message: error.message }] }
    throw error
  }
  if (isPointerText(text)) return { objects: [], problems: [{ line: 1, column: 1, message: pointerMessage }] }
  if (text.includes(skipMarker)) return nothing
  return name.endsWith('.json') ? readJson(name, text) : readYaml(text)
}

/** Objects of a value that is a document. */
export function readManifestValue(value: Json, line = 1): FileContent {
  const found: Collector = { objects: [], problems: [] }
  collectDocument(found, { value, line })
  return found
}

function readJson(name: string, text: string): FileContent {
  let value: Json
  try {
    value = JSON.parse(text) as Json
  } catch {
    const offset = jsonFaultOffset(text)
    return { objects: [], problems: [{ ...positionAt(text, offset), message: jsonMessage(name, { text, offset }) }] }
  }
  return readManifestValue(value)
}

function jsonMessage(name: string, at: { readonly text: string; readonly offset: number }): string {
  if (at.offset >= at.text.length) return 'Unexpected end of JSON input'
  const isWhole = (): boolean => {
    try {
      JSON.parse(at.text.slice(0, at.offset))
      return true
    } catch {
      return false
    }
  }
  if (isWhole())
    return `Found multiple objects in ${JSON.stringify(name)}. Only single objects are allowed in JSON files.`
  return `Unexpected ${JSON.stringify(at.text[at.offset])} in JSON`
}

/** A text that is no manifest at all, such as values of a chart, holds nothing. */
function readYaml(text: string): FileContent {
  const found = readManifestStream(text)
  return found.problems.length > 0 && found.objects.length === 0 && !looksLikeManifest(text) ? nothing : found
}

/** A YAML stream in which nothing but manifests is expected. */
export function readManifestStream(text: string): FileContent {
  const found: Collector = { objects: [], problems: [] }
  for (const document of splitDocuments(text)) {
    if (document.problem !== undefined) {
      found.problems.push({ line: document.line + 1, column: 1, message: document.problem })
      continue
    }
    try {
      const value = parseYamlDocument(document.text)
      if (value !== null) collectDocument(found, { value, line: document.line + firstLine(document.text) })
    } catch (error) {
      if (!(error instanceof YamlFault)) throw error
      const { line, column } = positionAt(document.text, error.offset)
      found.problems.push({ line: line + document.line, column, message: error.message })
    }
  }
  return found
}

/** Number (from 1) of the first line that is neither empty nor a comment. */
const firstLine = (text: string): number => text.split('\n').findIndex((line) => /^\s*[^#\s]/.test(line)) + 1

const looksLikeManifest = (text: string): boolean =>
  text.includes('apiVersion:') && text.includes('kind:') && text.includes('metadata:')

interface Collector {
  readonly objects: FileObject[]
  readonly problems: FileProblem[]
}

interface Found {
  readonly value: Json
  readonly line: number
}

function collectDocument(into: Collector, found: Found): void {
  if (isNestedTooDeeply(found.value)) into.problems.push({ line: found.line, column: 1, message: nestedTooDeeply })
  else collect(into, found)
}

function collect(into: Collector, found: Found): void {
  const { value, line } = found
  const items = isJsonMap(value) && typeof value['kind'] === 'string' ? value['items'] : undefined
  if (isJsonMap(value) && Array.isArray(items)) {
    collectItems(into, { value, line })
    return
  }
  if (isJsonMap(value) && items === null && value['spec'] === undefined && value['status'] === undefined) return
  const fault = objectFault(value)
  if (fault !== undefined) {
    into.problems.push({ line, column: 1, message: fault })
    return
  }
  const manifest = value as JsonObject
  const metadata = withoutNulls((manifest['metadata'] ?? {}) as JsonObject)
  into.objects.push({ object: { ...manifest, metadata } as unknown as AnyObject, line })
}

function objectFault(value: Json): string | undefined {
  if (!isJsonMap(value))
    return `a manifest must be a map, this is ${Array.isArray(value) ? 'a list' : `a ${typeof value}`}`
  if (typeof value['kind'] !== 'string' || value['kind'] === '') return "Object 'Kind' is missing"
  if (typeof value['apiVersion'] !== 'string' || value['apiVersion'] === '') return "Object 'apiVersion' is missing"
  const metadata = value['metadata'] ?? {}
  const fault = isJsonMap(metadata) ? metadataFault(metadata) : 'metadata must be a map'
  return fault === undefined ? undefined : `${nameOf(value)}: ${fault}`
}

/** `kind: List`, or a typed list such as ConfigMapList, whose items may leave out what the list says. */
function collectItems(into: Collector, found: { readonly value: JsonObject; readonly line: number }): void {
  const { value: list, line } = found
  const listKind = String(list['kind'])
  const itemKind = listKind !== 'List' && listKind.endsWith('List') ? listKind.slice(0, -'List'.length) : undefined
  for (const item of list['items'] as readonly Json[]) {
    const complete =
      itemKind !== undefined && isJsonMap(item)
        ? { apiVersion: list['apiVersion'] ?? null, kind: itemKind, ...item }
        : item
    collect(into, { value: complete, line })
  }
}

const nameOf = (value: JsonObject): string => {
  const metadata = value['metadata']
  const name = isJsonMap(metadata) ? metadata['name'] : undefined
  return `${String(value['kind'])}${typeof name === 'string' ? `/${name}` : ''}`
}

function metadataFault(metadata: JsonObject): string | undefined {
  for (const field of ['annotations', 'labels'] as const) {
    const map = metadata[field]
    if (map === undefined || map === null) continue
    if (!isJsonMap(map)) return `metadata.${field} must be a map of strings`
    for (const [key, value] of Object.entries(map)) {
      if (typeof value === 'string' || value === null) continue
      return `metadata.${field} contains non-string value in the map under key ${JSON.stringify(key)}: ${JSON.stringify(value)} must be quoted`
    }
  }
  for (const field of ['name', 'namespace', 'generateName'] as const) {
    const value = metadata[field]
    if (value !== undefined && value !== null && typeof value !== 'string') {
      return `metadata.${field} must be a string: ${JSON.stringify(value)} must be quoted`
    }
  }
  return undefined
}

/** An empty `annotations:` means none; a null inside means an empty text, as the API server decodes it. */
function withoutNulls(metadata: JsonObject): JsonObject {
  const clean: Record<string, Json> = {}
  for (const [key, value] of Object.entries(metadata)) {
    if (value === null) continue
    const isTexts =
      (key === 'annotations' || key === 'labels') && isJsonMap(value) && Object.values(value).includes(null)
    clean[key] = isTexts ? Object.fromEntries(Object.entries(value).map(([name, text]) => [name, text ?? ''])) : value
  }
  return clean
}
