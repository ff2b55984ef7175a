// Variables: how many environments up, and which slot.

import { faultAt, through } from '../fault.ts'
import type { Place } from '../syntax/source-text.ts'
import { type Lazy, Thunk, type Value } from '../values/value.ts'
import type { Code, Environment } from './environment.ts'
import { frameAt, type Site } from './scope.ts'

export function compileVariable(name: string, place: Place, site: Site): Code {
  if (site.scope.find(name) === undefined) throw faultAt(`Unknown variable: ${name}`, place)
  return variableNamed(name, place, site)
}

export function variableNamed(name: string, place: Place, site: Site): Code {
  const { up, slot } = site.scope.find(name) ?? { up: 0, slot: -1 }
  const frame = frameAt(place, site)
  const held = (lazy: Lazy | undefined): Value => {
    if (!(lazy instanceof Thunk)) return lazy ?? null
    if (lazy.isReady) return lazy.force()
    try {
      return lazy.force()
    } catch (error) {
      throw through(error, frame)
    }
  }
  if (up === 0) return ({ slots }) => held(slots[slot])
  if (up === 1) return ({ parent }) => held(parent?.slots[slot])
  if (up === 2) return ({ parent }) => held(parent?.parent?.slots[slot])
  return (environment) => {
    let holder: Environment | undefined = environment
    for (let left = up; left > 0; left--) holder = holder?.parent
    return held(holder?.slots[slot])
  }
}
