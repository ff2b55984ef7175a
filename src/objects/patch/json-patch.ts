// RFC 6902, as the library that Kubernetes uses applies it (evanphx/json-patch v4: negative indices count from the end,
// replacing a key that is not there adds it). Copies along the path of each change and shares everything else.

import { isEqual } from '../equality.ts'
import { isNestedTooDeeply, maxNesting } from '../nesting.ts'
import type { Json, JsonObject } from '../object.ts'
import { setOwn } from '../text/json.ts'
import { PatchError } from './patch-error.ts'

export interface JsonPatchOperation {
  readonly op: string
  readonly path?: string
  readonly from?: string
  readonly value?: Json
}

type Container = JsonObject | readonly Json[]

/** What the copies of one patch may add, as text: they could double the object again and again. */
const maxCopied = 3 * 1024 * 1024

/** Go takes null for an operation without fields, whose kind is then this. */
const emptyOperation: JsonPatchOperation = { op: 'unknown' }

/** Applies all operations in order. Throws a PatchError; then nothing has changed. */
export function jsonPatch(document: Json, operations: readonly (JsonPatchOperation | null)[]): Json {
  const copies = { size: 0 }
  const result = operations.reduce<Json>(
    (before, operation) => applyOperation(before, operation ?? emptyOperation, copies),
    document,
  )
  refuseDeep(result, 0)
  return result
}

function refuseDeep(value: Json, below: number): void {
  if (isNestedTooDeeply(value, maxNesting - below)) throw new PatchError('exceeded max depth')
}

function applyOperation(document: Json, operation: JsonPatchOperation, copies: { size: number }): Json {
  const value = operation.value ?? null
  switch (operation.op) {
    case 'add':
      return change({
        document,
        pointer: pointerOf(operation.path, 'add'),
        missing: missing('add', operation.path),
        add: value,
      })
    case 'remove':
      return remove(document, pointerOf(operation.path, 'remove'))
    case 'replace':
      return replace(document, pointerOf(operation.path, 'replace'), value)
    case 'test':
      return test(document, pointerOf(operation.path, 'test'), operation)
    case 'move':
    case 'copy':
      return transfer(document, operation, copies)
    default:
      throw new PatchError(`Unexpected kind: ${operation.op}`)
  }
}

const missing = (op: string, path: string | undefined): string =>
  `${op} operation does not apply: doc is missing path: ${op === 'replace' ? path : JSON.stringify(path)}: missing value`

function pointerOf(path: string | undefined, op: string): readonly string[] {
  if (typeof path !== 'string') throw new PatchError(`${op} operation failed to decode path: missing value`)
  const parts = path.split('/')
  if (parts.length > maxNesting) throw new PatchError('exceeded max depth')
  return parts.slice(1).map((part) => part.replaceAll('~1', '/').replaceAll('~0', '~'))
}

interface Change {
  readonly document: Json
  readonly pointer: readonly string[]
  /** The error for a path that leads nowhere. */
  readonly missing: string
  readonly add?: Json
  readonly set?: Json
}

/** Adds or sets the value at the end of the pointer. */
function change({ document, pointer, ...what }: Change): Json {
  return update(document, { pointer, missing: what.missing }, (container, key) => {
    if (Array.isArray(container)) {
      const list = container as readonly Json[]
      return what.set === undefined
        ? insert(list, key, what.add ?? null)
        : list.with(indexOf(list, key, list.length), what.set)
    }
    return withKey(container as JsonObject, key, what.set ?? what.add ?? null)
  })
}

interface Target {
  readonly pointer: readonly string[]
  readonly missing: string
}

function update(
  node: Json,
  { pointer, missing: text }: Target,
  edit: (container: Container, key: string) => Json,
): Json {
  const [key, ...rest] = pointer
  if (key === undefined || !isContainer(node)) throw new PatchError(text)
  if (rest.length === 0) return edit(node, key)
  const child = childOf(node, key)
  if (child === undefined || child === null) throw new PatchError(text)
  const next = update(child, { pointer: rest, missing: text }, edit)
  if (next === child) return node
  if (!Array.isArray(node)) return withKey(node as JsonObject, key, next)
  return (node as readonly Json[]).with(indexOf(node, key, node.length), next)
}

const isContainer = (value: Json): value is Container => typeof value === 'object' && value !== null

function childOf(container: Container, key: string): Json | undefined {
  if (!Array.isArray(container)) return Object.hasOwn(container, key) ? (container as JsonObject)[key] : undefined
  try {
    return container[indexOf(container, key, container.length)]
  } catch (error) {
    if (error instanceof PatchError) return undefined
    throw error
  }
}

function withKey(object: JsonObject, key: string, value: Json): JsonObject {
  const out = { ...object }
  setOwn(out, key, value)
  return out
}

/** The index that a key stands for, below `limit`. */
function indexOf(list: readonly Json[], key: string, limit: number): number {
  if (!/^[-+]?[0-9]+$/.test(key)) throw new PatchError(`strconv.Atoi: parsing ${JSON.stringify(key)}: invalid syntax`)
  const given = Number(key)
  const index = given < 0 ? given + limit : given
  if (index < 0 || index >= limit)
    throw new PatchError(`Unable to access invalid index: ${given}: invalid index referenced`)
  return limit === list.length + 1 ? Math.min(index, list.length) : index
}

function insert(list: readonly Json[], key: string, value: Json): readonly Json[] {
  if (key === '-') return [...list, value]
  return list.toSpliced(indexOf(list, key, list.length + 1), 0, value)
}

function remove(document: Json, pointer: readonly string[]): Json {
  const text = missing('remove', `/${pointer.join('/')}`)
  return update(document, { pointer, missing: text }, (container, key) => {
    if (Array.isArray(container))
      return (container as readonly Json[]).toSpliced(indexOf(container, key, container.length), 1)
    if (!Object.hasOwn(container, key))
      throw new PatchError(
        `error in remove for path: '/${pointer.join('/')}': Unable to remove nonexistent key: ${key}: missing value`,
      )
    const { [key]: _, ...rest } = container as JsonObject
    return rest
  })
}

function replace(document: Json, pointer: readonly string[], value: Json): Json {
  if (pointer.length === 0) {
    if (!isContainer(value)) throw new PatchError('replace operation value must be object or array')
    return value
  }
  return change({ document, pointer, missing: missing('replace', `/${pointer.join('/')}`), set: value })
}

function test(document: Json, pointer: readonly string[], { path, value }: JsonPatchOperation): Json {
  const found = lookUp(document, pointer, `test operation does not apply: is missing path: ${path}: missing value`)
  if (!isEqual(found ?? null, value ?? null)) throw new PatchError(`testing value ${path} failed: test failed`)
  return document
}

function transfer(document: Json, { op, from, path }: JsonPatchOperation, copies: { size: number }): Json {
  if (typeof from !== 'string') throw new PatchError(`${op} operation failed to decode from: missing value`)
  const source = pointerOf(from, op)
  const value = lookUp(
    document,
    source,
    `${op} operation does not apply: doc is missing from path: ${from}: missing value`,
  )
  if (op === 'copy') {
    refuseDeep(value ?? null, 0)
    copies.size += JSON.stringify(value ?? null).length
    if (copies.size > maxCopied)
      throw new PatchError(
        `Unable to complete the copy, the accumulated size increase of copy is ${copies.size}, exceeding the limit ${maxCopied}`,
      )
  }
  const rest = op === 'move' ? remove(document, source) : document
  const text = `${op} operation does not apply: doc is missing destination path: ${path}: missing value`
  return change({ document: rest, pointer: pointerOf(path, op), missing: text, add: value ?? null })
}

/** The value at the pointer; undefined if only its last key is not there. */
function lookUp(document: Json, pointer: readonly string[], text: string): Json | undefined {
  let node: Json | undefined = document
  for (const key of pointer.slice(0, -1)) {
    node = isContainer(node) ? childOf(node, key) : undefined
    if (node === undefined || node === null) throw new PatchError(text)
  }
  const last = pointer.at(-1)
  if (last === undefined) return node
  if (!isContainer(node)) throw new PatchError(text)
  return Array.isArray(node) ? node[indexOf(node, last, node.length)] : childOf(node, last)
}
