// What is to be sent about an application now, and what may be forgotten since its condition no longer holds. Pure.

import type { JsonObject } from '#objects'
import type { Condition, NotificationsConfig } from './config.ts'
import { evaluate } from './expression/evaluate.ts'
import { ExpressionFault } from './expression/fault.ts'
import type { Destination } from './services/service.ts'
import { type Item, type Sent, sentKey } from './state.ts'

export interface Due extends Item {
  readonly key: string
  readonly templates: readonly string[]
}

export interface Decision {
  readonly due: readonly Due[]
  /** Keys of what was sent, and may be sent again. */
  readonly over: readonly string[]
  /** A condition asks for the time: look again soon. */
  readonly asksTime: boolean
  readonly faults: readonly string[]
}

export interface DecisionInput {
  readonly config: NotificationsConfig
  readonly destinations: ReadonlyMap<string, readonly Destination[]>
  readonly environment: JsonObject
  readonly sent: Sent
}

export function decideNotifications({ config, destinations, environment, sent }: DecisionInput): Decision {
  const due: Due[] = []
  const over: string[] = []
  const faults: string[] = []
  let asksTime = false
  for (const [trigger, to] of destinations) {
    const conditions = config.triggers.get(trigger)
    if (conditions === undefined) faults.push(`trigger ${trigger} is not configured`)
    for (const condition of conditions ?? []) {
      asksTime ||= condition.asksTime
      const { holds, oncePer } = judged(condition, environment)
      for (const destination of to) {
        const item = { trigger, condition, oncePer, destination }
        const key = sentKey(item)
        const isSent = Object.hasOwn(sent, key)
        if (holds && !isSent) due.push({ ...item, key, templates: condition.send })
        else if (!holds && isSent && oncePer === '') over.push(key)
      }
    }
  }
  return { due, over, asksTime, faults }
}

/** A condition over what is not there yet does not hold. */
function judged(
  { when, oncePer }: Condition,
  environment: JsonObject,
): { readonly holds: boolean; readonly oncePer: string } {
  try {
    const once = oncePer === undefined ? '' : evaluate(oncePer, environment)
    return { holds: evaluate(when, environment) === true, oncePer: once === null ? '<nil>' : String(once) }
  } catch (error) {
    if (error instanceof ExpressionFault) return { holds: false, oncePer: '<fault>' }
    throw error
  }
}
