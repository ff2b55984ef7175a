// What users' action scripts return, checked: the actions that a discovery script offers, and the objects that an action
// changes and creates. Pure.

import { type AnyObject, isJsonMap, type Json, type JsonObject } from '#objects'
import { ActionFault, type Impact, type ResourceAction, type ResourceActionParameter } from './action.ts'

const failed = (message: string): ActionFault => new ActionFault('failed', message)

/** A table by name of action; each says whether it is disabled, how it is shown and what it wants to know. */
export function discovered(value: Json): readonly ResourceAction[] {
  if (Array.isArray(value) && value.length === 0) return []
  if (!isJsonMap(value)) throw failed('discovery.lua must return a table whose keys are the names of actions')
  return Object.entries(value).map(([name, told]) => discoveredAction(name, told))
}

function discoveredAction(name: string, told: Json): ResourceAction {
  if (Array.isArray(told) && told.length === 0) return { name }
  if (!isJsonMap(told)) throw failed(`discovery.lua: action ${name} must be a table`)
  const { disabled, displayName, iconClass, params } = told
  return {
    name,
    ...(disabled === true ? { disabled } : {}),
    ...(typeof displayName === 'string' ? { displayName } : {}),
    ...(typeof iconClass === 'string' ? { iconClass } : {}),
    ...(Array.isArray(params) && params.length > 0
      ? { params: (params as readonly Json[]).map((param) => parameterOf(name, param)) }
      : {}),
  }
}

function parameterOf(action: string, value: Json): ResourceActionParameter {
  const name = isJsonMap(value) ? value['name'] : undefined
  if (!isJsonMap(value) || typeof name !== 'string')
    throw failed(`discovery.lua: every one of the params of action ${action} must be a table with a name`)
  const preset = value['default']
  return preset === undefined || typeof preset === 'object' ? { name } : { name, default: String(preset) }
}

/** The changed object itself, or a list of {operation, resource}. */
export function impactsOf(value: Json, source: AnyObject): readonly Impact[] {
  if (isJsonMap(value)) return [patchOf(value, source)]
  if (!Array.isArray(value))
    throw failed('action.lua must return the changed object, or a list of {operation, resource}')
  return (value as readonly Json[]).map((each, index) => impactOf(each, source, `result[${index + 1}]`))
}

function impactOf(value: Json, source: AnyObject, at: string): Impact {
  if (!isJsonMap(value) || !isJsonMap(value['resource']))
    throw failed(`action.lua: ${at} must be {operation, resource}`)
  const { operation, resource } = value
  if (operation === 'patch') return patchOf(resource as JsonObject, source)
  if (operation !== 'create')
    throw failed(`action.lua: ${at}.operation must be "create" or "patch", not ${JSON.stringify(operation ?? null)}`)
  return { operation, object: objectOf(resource as JsonObject, `${at}.resource`) }
}

function patchOf(value: JsonObject, source: AnyObject): Impact {
  const object = objectOf(withEmptyMaps(value, source as unknown as JsonObject) as JsonObject, 'the returned object')
  const name = ({ apiVersion, kind, metadata }: AnyObject): string =>
    `${apiVersion} ${kind} ${metadata.namespace ?? ''}/${metadata.name}`
  if (name(object) !== name(source))
    throw failed(`action.lua: only ${name(source)} itself can be patched, not ${name(object)}`)
  return { operation: 'patch', object }
}

function objectOf(value: JsonObject, at: string): AnyObject {
  const { apiVersion, kind, metadata } = value
  if (typeof apiVersion !== 'string' || typeof kind !== 'string' || !isJsonMap(metadata))
    throw failed(`action.lua: ${at} must have apiVersion, kind and metadata`)
  if (typeof metadata['name'] !== 'string' && typeof metadata['generateName'] !== 'string')
    throw failed(`action.lua: ${at} must have a metadata.name`)
  return value as unknown as AnyObject
}

/** Lua has one kind of empty table, which comes back as a list: where a map was, it is one again. */
function withEmptyMaps(value: Json, before: Json | undefined): Json {
  if (Array.isArray(value)) {
    if (value.length === 0) return isJsonMap(before) ? {} : value
    const old: readonly Json[] = Array.isArray(before) ? before : []
    return (value as readonly Json[]).map((each, index) => withEmptyMaps(each, old[index]))
  }
  if (!isJsonMap(value)) return value
  const old = isJsonMap(before) ? before : {}
  return Object.fromEntries(Object.entries(value).map(([name, each]) => [name, withEmptyMaps(each ?? null, old[name])]))
}
