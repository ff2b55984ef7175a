// Functions and calls of them.

import { at, faultAt, through } from '../fault.ts'
import type { NodeOf } from '../syntax/nodes.ts'
import { functionOf } from '../values/types.ts'
import { FunctionValue, force, type NamedArguments, type Slots, TailCall } from '../values/value.ts'
import { type Code, Environment, type TailCode } from './environment.ts'
import { compile, compileLazy } from './expression.ts'
import { frameAt, Scope, type Site, within } from './scope.ts'

export function compileFunction({ parameters, body }: NodeOf<'function'>, site: Site, name = 'anonymous'): Code {
  const scope = new Scope(
    parameters.map((parameter) => parameter.name),
    site.scope,
  )
  const inner = within(site, scope, `function <${name}>`)
  const names = parameters.map(({ name, fallback }) => ({ name, isOptional: fallback !== undefined }))
  const fallbacks = parameters.map(({ fallback }) =>
    fallback === undefined ? undefined : compileLazy(fallback, inner),
  )
  const hasFallbacks = fallbacks.some((each) => each !== undefined)
  const code = inner.compiler.tail(body, inner)
  return (environment) =>
    new FunctionValue(name, names, (slots, isStrict) => {
      const made = new Environment(slots, environment)
      if (hasFallbacks) {
        for (const [index, fallback] of fallbacks.entries())
          if (slots[index] === undefined && fallback !== undefined) slots[index] = fallback(made)
        if (isStrict) for (const slot of slots) force(slot ?? null)
      }
      return code(made)
    })
}

interface Prepared {
  readonly target: FunctionValue
  readonly slots: Slots
}

function compileCall(node: NodeOf<'apply'>, site: Site): (environment: Environment) => Prepared {
  const target = compile(node.target, site)
  const positional = node.positional.map((each) => compileLazy(each, site))
  const seen = new Set<string>()
  const named = node.named.map(({ name, body }) => {
    if (seen.has(name)) throw faultAt(`Argument ${name} already provided`, body.place)
    seen.add(name)
    return [name, compileLazy(body, site)] as const
  })
  const frame = frameAt(node.place, site)
  const { tailstrict } = node
  return (environment) => {
    try {
      const called = functionOf(target(environment))
      const given: NamedArguments = named.length === 0 ? [] : named.map(([name, lazy]) => [name, lazy(environment)])
      const slots = called.slots(
        positional.map((lazy) => lazy(environment)),
        given,
      )
      if (tailstrict) for (const slot of slots) if (slot !== undefined) force(slot)
      return { target: called, slots }
    } catch (error) {
      throw at(error, frame)
    }
  }
}

export function compileApply(node: NodeOf<'apply'>, site: Site): Code {
  const call = compileCall(node, site)
  const frame = frameAt(node.place, site)
  return (environment) => {
    const { target, slots } = call(environment)
    try {
      return target.run(slots, node.tailstrict)
    } catch (error) {
      throw through(error, frame)
    }
  }
}

export function compileApplyTail(node: NodeOf<'apply'>, site: Site): TailCode {
  const call = compileCall(node, site)
  return (environment) => {
    const { target, slots } = call(environment)
    return new TailCall(target, slots)
  }
}
