// Reads YAML text as Kubernetes does (sigs.k8s.io/yaml over go-yaml): the first document, as JSON. Parsing itself is the
// yaml package's; what scalars, keys and repeated keys mean is decided here.

import { isAlias, isMap, isNode, isScalar, isSeq, LineCounter, type YAMLMap } from 'yaml'
import { isNestedTooDeeply } from '../nesting.ts'
import type { Json } from '../object.ts'
import { setOwn } from './json.ts'
import { type ParsedText, SyntaxFault } from './parsed.ts'
import { composeYaml } from './yaml-compose.ts'
import { yamlFault } from './yaml-fault.ts'
import { numberOf, resolvePlainScalar, type Unsupported } from './yaml-scalar.ts'

/** How many values aliases may unfold into before the text is taken for an attack. */
const maxValues = 1_000_000

/** Parses the first document of a YAML text. Throws a SyntaxFault. */
export function parseYaml(text: string): ParsedText {
  const lines = new LineCounter()
  const [document] = composeYaml(text.startsWith('\uFEFF') ? text.slice(1) : text, {
    version: '1.1',
    uniqueKeys: false,
    prettyErrors: false,
    lineCounter: lines,
  })
  const none = { duplicateKeys: new Map(), literals: new Map() }
  if (document === undefined) return { value: null, ...none, strictErrors: [] }
  const error = document.errors[0]
  if (error !== undefined) throw yamlFault(error, text, lines)
  const reader = new Reader(lines)
  const value = reader.value(document.contents)
  if (isNestedTooDeeply(value)) throw new SyntaxFault('yaml: exceeded max depth')
  const strictErrors =
    reader.repeated.length === 0
      ? []
      : [`yaml: unmarshal errors:\n${reader.repeated.map((line) => `  ${line}`).join('\n')}`]
  return { value, ...none, strictErrors }
}

class Reader {
  /** One line for each key that was already set, as go-yaml lists them. */
  readonly repeated: string[] = []
  readonly #lines: LineCounter
  /** What has an anchor, by its name: the last one that was read. Undefined while it is being read. */
  readonly #anchors = new Map<string, { readonly value: Json; readonly size: number } | undefined>()
  #values = 0

  constructor(lines: LineCounter) {
    this.#lines = lines
  }

  value(node: unknown): Json {
    this.#count(1)
    if (isAlias(node)) return this.#anchored(node.source)
    if (!isNode(node)) return null
    if (node.anchor === undefined) return this.#plain(node)
    const before = this.#values
    this.#anchors.set(node.anchor, undefined)
    const value = this.#plain(node)
    this.#anchors.set(node.anchor, { value, size: this.#values - before })
    return value
  }

  #count(values: number): void {
    this.#values += values
    if (this.#values > maxValues) throw new SyntaxFault('yaml: document contains excessive aliasing')
  }

  #anchored(name: string): Json {
    const known = this.#anchors.get(name)
    if (known !== undefined) {
      this.#count(known.size)
      return known.value
    }
    throw new SyntaxFault(
      this.#anchors.has(name)
        ? `yaml: anchor '${name}' value contains itself`
        : `yaml: unknown anchor '${name}' referenced`,
    )
  }

  #plain(node: unknown): Json {
    if (isMap(node)) return this.#map(node)
    if (isSeq(node)) return node.items.map((item) => this.value(item))
    if (!isScalar(node)) return null
    const value = scalarValue(node)
    if (isUnsupported(value)) throw new SyntaxFault(`json: unsupported value: ${value.unsupported}`)
    return value
  }

  #map(node: YAMLMap): Json {
    const object: Record<string, Json> = {}
    const merged: unknown[] = []
    for (const { key, value } of node.items) {
      if (isMergeKey(key)) {
        merged.push(value)
        continue
      }
      const name = this.#key(key)
      const entry = this.value(value)
      if (Object.hasOwn(object, name.text)) {
        const at = (value as { readonly range?: readonly number[] | null } | null)?.range?.[0] ?? keyStart(key)
        this.repeated.push(`line ${this.#lines.linePos(at).line}: key ${name.shown} already set in map`)
      }
      setOwn(object, name.text, entry)
    }
    for (const source of merged) this.#merge(object, source)
    return object
  }

  #merge(object: Record<string, Json>, source: unknown): void {
    if (isSeq(source)) {
      for (const item of source.items) this.#merge(object, item)
      return
    }
    const fields = this.value(source)
    if (typeof fields !== 'object' || fields === null || Array.isArray(fields))
      throw new SyntaxFault('yaml: map merge requires map or sequence of maps as the value')
    for (const [key, value] of Object.entries(fields)) if (!Object.hasOwn(object, key)) setOwn(object, key, value)
  }

  #key(node: unknown): { readonly text: string; readonly shown: string } {
    const value = this.value(node)
    if (typeof value === 'object' && value !== null) throw new SyntaxFault(`yaml: invalid map key: ${goText(value)}`)
    if (typeof value === 'string') return { text: value, shown: JSON.stringify(value) }
    if (typeof value === 'number' || typeof value === 'boolean') return { text: String(value), shown: String(value) }
    throw new SyntaxFault('unsupported map key of type: %!s(<nil>), key: <nil>, value: <nil>')
  }
}

interface ScalarNode {
  readonly value: unknown
  readonly source?: string
  readonly type?: string
  readonly tag?: string
}

const isUnsupported = (value: Json | Unsupported): value is Unsupported =>
  typeof value === 'object' && value !== null && 'unsupported' in value

const isMergeKey = (key: unknown): boolean => isScalar(key) && key.type === 'PLAIN' && sourceOf(key) === '<<'

const keyStart = (key: unknown): number => (key as { readonly range?: readonly number[] | null }).range?.[0] ?? 0

const sourceOf = (node: ScalarNode): string => node.source ?? (node.value === null ? '' : String(node.value))

function scalarValue(node: ScalarNode): Json | Unsupported {
  const text = sourceOf(node)
  switch (node.tag) {
    case undefined:
      return node.type === 'PLAIN' || node.type === undefined ? resolvePlainScalar(text) : text
    case 'tag:yaml.org,2002:int':
    case 'tag:yaml.org,2002:float':
      return numberOf(text) ?? text
    case 'tag:yaml.org,2002:bool':
    case 'tag:yaml.org,2002:null':
      return resolvePlainScalar(text)
    case 'tag:yaml.org,2002:binary':
      return binaryText(text.replace(/\s/g, ''))
    default:
      return text
  }
}

function binaryText(base64: string): string {
  try {
    return new TextDecoder().decode(Uint8Array.from(atob(base64), (char) => char.charCodeAt(0)))
  } catch {
    throw new SyntaxFault('yaml: !!binary value contains invalid base64 data')
  }
}

/** A value as Go's `%#v` shows what go-yaml read. */
function goText(value: Json): string {
  if (Array.isArray(value)) return `[]interface {}{${value.map(goText).join(', ')}}`
  if (typeof value === 'object' && value !== null)
    return `map[interface {}]interface {}{${Object.entries(value)
      .map(([key, entry]) => `${JSON.stringify(key)}:${goText(entry)}`)
      .join(', ')}}`
  return value === null ? 'interface {}(nil)' : JSON.stringify(value)
}
