// Variables that programs give names to.

import type { Node, NodeOf } from '../syntax/nodes.ts'
import type { Lazy } from '../values/value.ts'
import { compileFunction } from './calls.ts'
import { Environment } from './environment.ts'
import { compileLazy } from './expression.ts'
import { Scope, type Site, within } from './scope.ts'

/** Variables that see one another. */
export function compileBinds(node: NodeOf<'local'>, site: Site) {
  const inner = within(
    site,
    new Scope(
      node.binds.map(({ name }) => name),
      site.scope,
    ),
  )
  const lazies = node.binds.map(({ name, body }) => compileNamed(name, body, inner))
  const bind = (environment: Environment): Environment => {
    const made = new Environment([], environment)
    for (const lazy of lazies) made.slots.push(lazy(made))
    return made
  }
  return { inner, bind }
}

/** The value of a variable, called by its name in messages. */
export function compileNamed(name: string, node: Node, site: Site): (environment: Environment) => Lazy {
  if (node.type === 'function') return compileFunction(node, site, name)
  return compileLazy(node, { ...site, context: `thunk <${name}> from <${site.context}>` })
}
