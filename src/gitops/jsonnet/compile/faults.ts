// `error`, `assert`, and `import`, which may not find its file.

import type { Frame } from '../fault.ts'
import { at, JsonnetFault, through } from '../fault.ts'
import { toText } from '../manifest/json.ts'
import type { NodeOf } from '../syntax/nodes.ts'
import type { Code, Environment } from './environment.ts'
import { compile, compileCondition } from './expression.ts'
import { frameAt, type Site } from './scope.ts'

export const failing =
  (message: string, frame: Frame): Code =>
  () => {
    throw new JsonnetFault(message, frame)
  }

export function compileError(node: NodeOf<'error'>, site: Site): Code {
  const message = compile(node.message, site)
  const frame = frameAt(node.place, site)
  return (environment) => {
    const value = message(environment)
    try {
      throw new JsonnetFault(toText(value))
    } catch (error) {
      throw at(error, frame)
    }
  }
}

export function compileImport(node: NodeOf<'import'>, site: Site): Code {
  const frame = frameAt(node.place, site)
  return () => {
    try {
      return site.load(node, site.source)
    } catch (error) {
      throw through(error, frame)
    }
  }
}

export function compileAssert(
  { condition, message, place }: Pick<NodeOf<'assert'>, 'condition' | 'message' | 'place'>,
  site: Site,
  usual = 'Assertion failed',
): (environment: Environment) => void {
  const holds = compileCondition(condition, site)
  const fail: Code =
    message === undefined ? failing(usual, frameAt(place, site)) : compileError({ type: 'error', message, place }, site)
  return (environment) => {
    if (!holds(environment)) fail(environment)
  }
}
