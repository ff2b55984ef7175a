// One YAML document as the value that Kubernetes reads from it: anchors and merge keys resolved, keys made strings, the
// last of equal keys kept, scalars as the API server reads them. Grammar is the yaml library's; meaning is ours. Pure.

import {
  type Alias,
  type Document,
  isAlias,
  isMap,
  isScalar,
  isSeq,
  type Node,
  type Pair,
  type Scalar,
  visit,
  type YAMLMap,
  type YAMLParseError,
  type YAMLSeq,
} from 'yaml'
import { composeYaml, type Json, type JsonObject, resolvePlainScalar, SyntaxFault } from '#objects'

/** What is wrong, and where in the text (0-based offset). */
export class YamlFault extends Error {
  override readonly name = 'YamlFault'
  readonly offset: number
  constructor(message: string, offset: number) {
    super(message)
    this.offset = offset
  }
}

/** A value never has more nodes than this once its aliases are written out: a guard against "billion laughs". */
const maxNodes = 2_000_000
export const nestedTooDeeply = 'the document is nested too deeply'
const tagPrefix = 'tag:yaml.org,2002:'

/** Throws YamlFault. An empty document is null. */
export function parseYamlDocument(text: string): Json {
  const control = findControlCharacter(text)
  if (control >= 0) throw new YamlFault('control characters are not allowed', control)
  const document = composed(text)
  const [error] = document?.errors ?? []
  if (document !== undefined && error !== undefined) throw new YamlFault(error.message, placeOf(document, error))
  return new Reader().value((document?.contents ?? null) as Node | null)
}

function composed(text: string): Document | undefined {
  try {
    const [document] = composeYaml(text, { schema: 'failsafe', uniqueKeys: false, strict: true, merge: false })
    return document
  } catch (error) {
    if (error instanceof SyntaxFault) throw new YamlFault(nestedTooDeeply, 0)
    throw error
  }
}

/** What is not closed is told where it was opened: that is where the mistake is. */
function placeOf(document: Document, error: YAMLParseError): number {
  const isOpenFlow = /end with a [\]}]$/.test(error.message)
  const isOpenQuote = error.message.startsWith('Missing closing')
  let opened: number | undefined
  const note = (node: Node): void => {
    const start = offsetOf(node)
    if (start < error.pos[0]) opened = start
  }
  visit(document, {
    Collection(_key, node) {
      if (isOpenFlow && node.flow === true) note(node)
    },
    Scalar(_key, node) {
      if (isOpenQuote && (node.type === 'QUOTE_DOUBLE' || node.type === 'QUOTE_SINGLE')) note(node)
    },
  })
  return opened ?? error.pos[0]
}

function findControlCharacter(text: string): number {
  for (let index = 0; index < text.length; index++) {
    const code = text.charCodeAt(index)
    if ((code < 32 && code !== 9 && code !== 10 && code !== 13) || code === 127) return index
  }
  return -1
}

interface Anchored {
  readonly value: Json
  readonly nodes: number
}

class Reader {
  readonly #anchors = new Map<string, Anchored | 'open'>()
  #nodes = 0

  value(node: Node | null | undefined): Json {
    if (node === null || node === undefined) return null
    if (isAlias(node)) return this.#alias(node).value
    const anchor = 'anchor' in node && typeof node.anchor === 'string' ? node.anchor : undefined
    const before = this.#nodes
    this.#count(1, node)
    if (anchor !== undefined) this.#anchors.set(anchor, 'open')
    const value = this.#bare(node)
    if (anchor !== undefined) this.#anchors.set(anchor, { value, nodes: this.#nodes - before })
    return value
  }

  #bare(node: Node): Json {
    if (isScalar(node)) return scalarValue(node)
    if (isSeq(node)) return this.#list(node)
    if (isMap(node)) return this.#map(node)
    throw new YamlFault('unexpected content', offsetOf(node))
  }

  #list(node: YAMLSeq): Json {
    // The parser puts a pair where a flow list has `[a: b]`.
    return node.items.map((item) =>
      isNode(item) || item === null ? this.value(item as Node | null) : this.#pairs([item as Pair]),
    )
  }

  #map(node: YAMLMap): Json {
    return this.#pairs(node.items as readonly Pair[])
  }

  #pairs(pairs: readonly Pair[]): Json {
    const map: Record<string, Json> = {}
    for (const pair of pairs) {
      const key = pair.key as Node | null
      const value = pair.value as Node | null
      if (isMergeKey(key)) this.#merge(map, value)
      else setKey(map, this.#key(key, value), this.value(value))
    }
    return map
  }

  /** Merged keys replace those before `<<` and yield to those after it, as the Go library behind kubectl does. */
  #merge(map: Record<string, Json>, node: Node | null): void {
    const source = isAlias(node) ? this.#alias(node).value : this.value(node)
    const sources = Array.isArray(source) ? [...source].reverse() : [source]
    for (const each of sources) {
      if (typeof each !== 'object' || each === null || Array.isArray(each)) {
        throw new YamlFault('map merge requires map or sequence of maps as the value', offsetOf(node))
      }
      for (const [key, value] of Object.entries(each as JsonObject)) setKey(map, key, value)
    }
  }

  #key(node: Node | null, value: Node | null): string {
    const key = this.value(node)
    if (typeof key === 'string') return key
    if (typeof key === 'number' || typeof key === 'boolean') return String(key)
    const what = key === null ? 'null' : 'a collection (a template placeholder such as {{ … }} must be quoted)'
    throw new YamlFault(`unsupported map key: ${what}`, offsetOf(node ?? value))
  }

  #alias(node: Alias): Anchored {
    const target = this.#anchors.get(node.source)
    if (target === undefined) throw new YamlFault(`unknown anchor '${node.source}' referenced`, offsetOf(node))
    if (target === 'open') throw new YamlFault(`anchor '${node.source}' value contains itself`, offsetOf(node))
    this.#count(target.nodes, node)
    return target
  }

  #count(nodes: number, node: Node): void {
    this.#nodes += nodes
    if (this.#nodes > maxNodes) throw new YamlFault('document contains excessive aliasing', offsetOf(node))
  }
}

const isNode = (value: unknown): value is Node => isScalar(value) || isMap(value) || isSeq(value) || isAlias(value)

const offsetOf = (node: Node | null | undefined): number => node?.range?.[0] ?? 0

const isMergeKey = (node: Node | null): boolean =>
  isScalar(node) && node.type === 'PLAIN' && node.value === '<<' && node.tag === undefined

/** Own property even for `__proto__`. */
function setKey(map: Record<string, Json>, key: string, value: Json): void {
  if (key === '__proto__')
    Object.defineProperty(map, key, { value, enumerable: true, configurable: true, writable: true })
  else map[key] = value
}

function scalarValue(node: Scalar): Json {
  const text = typeof node.value === 'string' ? node.value : (node.source ?? '')
  const isPlain = node.type === 'PLAIN' || node.type === undefined
  if (node.tag !== undefined) return taggedValue(node.tag.replace(tagPrefix, ''), { text, node })
  return isPlain ? plainValue(node.source ?? text, node) : text
}

function plainValue(text: string, node: Scalar): Json {
  const value = resolvePlainScalar(text)
  if (typeof value !== 'object' || value === null || !('unsupported' in value)) return value as Json
  throw new YamlFault(`unsupported value: ${String(value.unsupported)}`, offsetOf(node))
}

const taggedTypes: Readonly<Record<string, 'number' | 'boolean'>> = { int: 'number', float: 'number', bool: 'boolean' }

function taggedValue(tag: string, { text, node }: { readonly text: string; readonly node: Scalar }): Json {
  if (tag === 'null') return null
  if (tag === 'binary') return Buffer.from(text.replace(/\s+/g, ''), 'base64').toString()
  const type = taggedTypes[tag]
  if (type === undefined) return text
  const value = plainValue(text, node)
  if (typeof value === type && (tag !== 'int' || Number.isInteger(value))) return value
  throw new YamlFault(`cannot decode ${JSON.stringify(text)} as a !!${tag}`, offsetOf(node))
}
