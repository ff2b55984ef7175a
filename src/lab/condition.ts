// What `until` can wait for.
//   KIND/NAME exists | gone | available | PATH=VALUE | PATH!=VALUE | PATH>=NUMBER | PATH<=NUMBER
//   COUNT [STATUS] KIND            so many objects (with this STATUS cell), narrowed by -n, -A and -l
//   COUNT ready endpoints of SERVICE
//   event REASON KIND/NAME         such an Event has been recorded

import { isNotFound } from '#api'
import type { Client } from '#client'
import { EndpointSlice, Event } from '#kinds'
import type { AnyObject } from '#objects'
import { type CommandCall, namespaceOf, spaceOf } from './command.ts'
import type { Lab, Target } from './lab.ts'
import { fieldAt, fieldText } from './object-path.ts'
import { isRolledOut } from './rollout.ts'
import { UsageError } from './scenario-error.ts'
import { cellsOf } from './server-table.ts'

export type Holds = (client: Client) => Promise<boolean>

interface Around {
  readonly call: CommandCall
  readonly namespace: string
}

export async function conditionFor(lab: Lab, words: readonly string[], around: Around): Promise<Holds> {
  const [first = '', ...rest] = words
  if (first === 'event') return eventRecorded(await lab.target(rest[1], around.namespace), rest[0] ?? '')
  if (/^\d+$/.test(first)) return counted(lab, Number(first), rest, around)
  return about(await lab.target(first, around.namespace), rest.join(' '))
}

async function find(client: Client, { kind, ref }: Target): Promise<AnyObject | undefined> {
  try {
    return (await client.get(kind, ref)) as AnyObject
  } catch (error) {
    if (isNotFound(error)) return undefined
    throw error
  }
}

function about(target: Target, text: string): Holds {
  const found = (client: Client): Promise<AnyObject | undefined> => find(client, target)
  if (text === 'exists') return async (client) => (await found(client)) !== undefined
  if (text === 'gone') return async (client) => (await found(client)) === undefined
  if (text === 'available')
    return async (client) => {
      const object = await found(client)
      return object !== undefined && isRolledOut(object)
    }
  const match = /^(\S+?)(!=|>=|<=|=)(.*)$/.exec(text)
  if (match === null) throw new UsageError(`${text} is not a condition`)
  const [, path = '', operator, wanted = ''] = match
  return async (client) => {
    const object = await found(client)
    if (object === undefined) return false
    const value = fieldAt(object, path)
    if (operator === '>=') return Number(value ?? 0) >= Number(wanted)
    if (operator === '<=') return value !== undefined && Number(value) <= Number(wanted)
    return (fieldText(value) === wanted) === (operator === '=')
  }
}

async function counted(lab: Lab, count: number, words: readonly string[], { call }: Around): Promise<Holds> {
  if (words[0] === 'ready' && words[1] === 'endpoints') return readyEndpoints(count, words[3] ?? '', call)
  const [status, kindName] = words.length === 1 ? [undefined, words[0]] : words
  const kind = await lab.kindNamed(kindName ?? '')
  const space = spaceOf(call)
  return async (client) => {
    const statuses = (await cellsOf(client, kind, space)).map(({ cells }) => cells.get('STATUS'))
    return statuses.filter((cell) => status === undefined || cell === status).length === count
  }
}

function readyEndpoints(count: number, service: string, call: CommandCall): Holds {
  const where = { namespace: namespaceOf(call), labelSelector: `kubernetes.io/service-name=${service}` }
  return async (client) => {
    const { items } = await client.list(EndpointSlice, where)
    return items.flatMap(({ endpoints }) => endpoints ?? []).filter((one) => one.conditions?.ready).length === count
  }
}

function eventRecorded({ kind, ref }: Target, reason: string): Holds {
  const fieldSelector = `involvedObject.kind=${kind.kind},involvedObject.name=${ref.name},reason=${reason}`
  const space = ref.namespace === undefined ? {} : { namespace: ref.namespace }
  return async (client) => (await client.list(Event, { ...space, fieldSelector })).items.length > 0
}
