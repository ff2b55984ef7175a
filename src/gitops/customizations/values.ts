// What stands under the keys that hold YAML: health expressions, actions and ignored fields, with every field checked.

import { isJsonMap, type Json, type JsonObject } from '#objects'
import type {
  ActionDefinition,
  ActionScripts,
  ExpressionStatus,
  HealthExpression,
  HealthExpressions,
  IgnoredFields,
} from './customization.ts'

/** A key cannot be read: what is wrong with it. */
export class ReadFault extends Error {
  override readonly name = 'ReadFault'
}

const statuses: readonly ExpressionStatus[] = ['current', 'inProgress', 'failed', 'suspended']
const isStatus = (value: unknown): value is ExpressionStatus => statuses.some((status) => status === value)

export function expressionsIn(key: string, value: Json | undefined): HealthExpressions {
  if (!Array.isArray(value) || value.length === 0) throw new ReadFault('must be a list of {status, when, message}')
  return { key, rules: (value as readonly Json[]).map(expressionAt) }
}

function expressionAt(value: Json, index: number): HealthExpression {
  const at = `[${index}]`
  const rule = mapAt(value, at, ['status', 'when', 'message'])
  if (!isStatus(rule['status'])) throw new ReadFault(`${at}.status must be one of ${statuses.join(', ')}`)
  const message = rule['message']
  return {
    status: rule['status'],
    when: expressionIn(rule['when'], `${at}.when`),
    ...(message === undefined ? {} : { message: expressionIn(message, `${at}.message`) }),
  }
}

/** `when: true` is YAML's true; as an expression it means the same. */
function expressionIn(value: Json | undefined, at: string): string {
  if (typeof value === 'boolean') return String(value)
  if (typeof value === 'string' && value.trim() !== '') return value.trim()
  throw new ReadFault(`${at} must be a CEL expression`)
}

export function actionsIn(key: string, value: Json | undefined): ActionScripts {
  const map = mapAt(value, 'the value', ['discovery.lua', 'definitions', 'mergeBuiltinActions'])
  const { definitions = [], mergeBuiltinActions: merge = false } = map
  if (!Array.isArray(definitions)) throw new ReadFault('definitions must be a list of {name, action.lua}')
  if (typeof merge !== 'boolean') throw new ReadFault('mergeBuiltinActions must be true or false')
  return {
    key,
    discovery: textIn(map['discovery.lua'], 'discovery.lua'),
    definitions: (definitions as readonly Json[]).map(definitionAt),
    mergeBuiltinActions: merge,
  }
}

function definitionAt(value: Json, index: number): ActionDefinition {
  const at = `definitions[${index}]`
  const map = mapAt(value, at, ['name', 'action.lua'])
  return { name: textIn(map['name'], `${at}.name`), text: textIn(map['action.lua'], `${at}.action.lua`) }
}

export function ignoredIn(key: string, value: Json | undefined): IgnoredFields {
  const map = mapAt(value, 'the value', ['jsonPointers', 'jqPathExpressions', 'managedFieldsManagers'])
  const ignored = {
    key,
    ...Object.fromEntries(Object.entries(map).map(([field, list]) => [field, textsIn(list, field)])),
  }
  const wrong = (ignored as IgnoredFields).jsonPointers?.find((pointer) => !pointer.startsWith('/'))
  if (wrong !== undefined) throw new ReadFault(`jsonPointers: ${wrong} must begin with a slash, as /spec/replicas`)
  return ignored
}

function textsIn(value: Json | undefined, at: string): readonly string[] {
  if (Array.isArray(value) && value.every((each: Json) => typeof each === 'string')) return value as readonly string[]
  throw new ReadFault(`${at} must be a list of texts`)
}

function textIn(value: Json | undefined, at: string): string {
  if (typeof value === 'string' && value.trim() !== '') return value
  throw new ReadFault(`${at} must be a text`)
}

function mapAt(value: Json | undefined, at: string, fields: readonly string[]): JsonObject {
  if (!isJsonMap(value)) throw new ReadFault(`${at} must be a map of ${fields.join(', ')}`)
  const unknown = Object.keys(value).find((field) => !fields.includes(field))
  if (unknown === undefined) return value
  throw new ReadFault(`${at} has an unknown field ${unknown}; known are ${fields.join(', ')}`)
}
