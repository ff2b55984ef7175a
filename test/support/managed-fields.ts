// A kind with a field of each topology, and its writes as calls of one line: server-side apply and updates.

import {
  type AnyObject,
  applyServerSide,
  type Json,
  type ManagedFieldsEntry,
  type Schema,
  updateManagedFields,
} from '#objects'

export const text: Schema = { type: 'string' }
const port: Schema = {
  type: 'object',
  properties: new Map<string, Schema>([
    ['port', { type: 'integer' }],
    ['protocol', { type: 'string', default: 'TCP' }],
    ['name', text],
  ]),
}
export const spec: Schema = {
  type: 'object',
  properties: new Map<string, Schema>([
    ['a', text],
    ['b', text],
    ['labels', { type: 'object', values: text }],
    ['ports', { type: 'array', listType: 'map', listMapKeys: ['port', 'protocol'], items: port }],
    ['finalizers', { type: 'array', listType: 'set', items: text }],
    ['args', { type: 'array', listType: 'atomic', items: text }],
    ['selector', { type: 'object', mapType: 'atomic', values: text }],
    ['free', { type: 'object', preserveUnknownFields: true }],
  ]),
}
export const schema: Schema = {
  type: 'object',
  properties: new Map<string, Schema>([
    ['apiVersion', text],
    ['kind', text],
    [
      'metadata',
      {
        type: 'object',
        properties: new Map<string, Schema>([
          ['name', text],
          ['labels', { type: 'object', values: text }],
        ]),
      },
    ],
    ['spec', spec],
    ['status', { type: 'object', values: text }],
  ]),
}

export const thing = (value: Json): AnyObject =>
  ({ apiVersion: 'example.com/v1', kind: 'Thing', metadata: { name: 't' }, spec: value }) as unknown as AnyObject

export interface State {
  readonly live: AnyObject | undefined
  readonly managed: readonly ManagedFieldsEntry[]
}

export const nothing: State = { live: undefined, managed: [] }
export const at = (second: number): string => `2025-01-01T00:00:${String(second).padStart(2, '0')}Z`

export function apply(
  state: State,
  manager: string,
  config: Json,
  options: { readonly force?: boolean; readonly time?: string } = {},
) {
  return applyServerSide({
    live: state.live,
    liveManagedFields: state.managed,
    config: thing(config),
    manager,
    force: options.force ?? false,
    schema,
    apiVersion: 'example.com/v1',
    now: options.time ?? at(0),
  })
}

export function applied(...parameters: Parameters<typeof apply>): State {
  const outcome = apply(...parameters)
  if (outcome.type !== 'applied') throw new Error(outcome.type === 'conflict' ? outcome.error.message : outcome.message)
  const live = outcome.object === parameters[0].live ? outcome.object : withoutNulls(outcome.object)
  return { live, managed: outcome.managedFields }
}

/** As it is stored: emptied containers, which apply leaves as null, are gone. */
export const withoutNulls = (object: AnyObject): AnyObject =>
  JSON.parse(JSON.stringify(object, (_, value) => (value === null ? undefined : value))) as AnyObject

export function updated(state: State, manager: string, value: Json, time = at(0)): State {
  const incoming = thing(value)
  const managed = updateManagedFields({
    live: state.live,
    incoming,
    managedFields: state.managed,
    schema,
    manager,
    apiVersion: 'example.com/v1',
    time,
  })
  return { live: incoming, managed }
}

export const fields = (state: State, manager: string): unknown =>
  state.managed.find((entry) => entry.manager === manager)?.fieldsV1?.['f:spec']
