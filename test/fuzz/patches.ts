// Patches of all types against an object that is there.

import type { Json, JsonObject } from '#objects'
import { mutated, partAt, pathsOf } from './bodies.ts'
import { below, chance, type Draw, oddText, oddValue, pick, withFields } from './draw.ts'

export interface Patch {
  readonly contentType: string
  readonly body: Json
}

const types = ['json-patch+json', 'merge-patch+json', 'strategic-merge-patch+json', 'apply-patch+yaml'] as const

export function patchOf(draw: Draw, object: Json): Patch {
  const type = pick(draw, types)
  const contentType = `application/${type}`
  if (type === 'json-patch+json') return { contentType, body: operations(draw, object) }
  if (type === 'strategic-merge-patch+json')
    return { contentType, body: directed(draw, cut(draw, mutated(draw, object))) }
  const body = mutated(draw, object)
  return { contentType, body: chance(draw, 50) ? body : cut(draw, body) }
}

function operations(draw: Draw, object: Json): Json {
  if (chance(draw, 5)) return oddValue(draw)
  return Array.from({ length: 1 + below(draw, 3) }, () => {
    const op = pick(draw, ['add', 'remove', 'replace', 'move', 'copy', 'test', 'nothing'])
    const operation = { op, path: pointer(draw, object), from: pointer(draw, object), value: oddValue(draw) }
    return chance(draw, 90) ? operation : withFields(Object.entries(operation).filter(() => chance(draw, 60)))
  })
}

function pointer(draw: Draw, object: Json): string {
  const path = pick(draw, pathsOf(object)).map(String)
  const end = pick(draw, [[], [], [], ['-'], ['0'], ['-1'], ['1e3'], [oddText(draw)]])
  const parts = [...path, ...end].map((part) => part.replaceAll('~', '~0').replaceAll('/', '~1'))
  return chance(draw, 95) ? parts.map((part) => `/${part}`).join('') : oddText(draw)
}

/** Only some fields of an object, so that the patch says little. */
function cut(draw: Draw, value: Json): Json {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value
  return withFields(
    Object.entries(value as JsonObject)
      .filter(() => chance(draw, 60))
      .map(([name, field]) => [name, cut(draw, field as Json)]),
  )
}

/** With directives of strategic merge patches at some places. */
function directed(draw: Draw, value: Json): Json {
  if (Array.isArray(value)) {
    const list = (value as readonly Json[]).map((element) => directed(draw, element))
    return chance(draw, 15) ? [...list, { $patch: pick(draw, ['replace', 'delete', 'merge', 'odd']) }] : list
  }
  if (typeof value !== 'object' || value === null) return value
  const fields = Object.entries(value as JsonObject).map(
    ([name, field]) => [name, directed(draw, field as Json)] as const,
  )
  if (!chance(draw, 20)) return withFields(fields)
  const name = fields.length > 0 ? pick(draw, fields)[0] : 'x'
  const list = partAt(value, [name]) ?? oddValue(draw)
  const directive = pick(draw, [
    ['$patch', pick(draw, ['replace', 'delete', 'merge', 1])],
    ['$retainKeys', [name]],
    [`$setElementOrder/${name}`, list],
    [`$deleteFromPrimitiveList/${name}`, list],
    ['$retainKeys', oddValue(draw)],
    [`$setElementOrder/${oddText(draw)}`, oddValue(draw)],
  ] as const)
  return withFields([...fields, directive])
}
