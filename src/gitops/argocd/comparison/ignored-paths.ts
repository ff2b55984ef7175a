// What the jq expressions of ignoreDifferences mean in an object: worked out once for each object and expression. An expression
// that is none, or that takes too long, ignores nothing and is told.

import { type IgnoreRule, jqExpressionsOf } from '#gitops/diff'
import { type Jq, type JqPath, ToolFault } from '#gitops/tools'
import type { AnyObject, Json } from '#objects'

export class IgnoredPaths {
  readonly #jq: Jq
  readonly #known = new WeakMap<AnyObject, Map<string, readonly JqPath[]>>()
  /** By expression: why it ignores nothing. */
  readonly #faults = new Map<string, string>()

  constructor(jq: Jq) {
    this.#jq = jq
  }

  /** Paths in `object` that the rules' expressions mean. */
  async in(object: AnyObject, rules: readonly IgnoreRule[]): Promise<readonly JqPath[]> {
    const all: JqPath[] = []
    for (const expression of jqExpressionsOf(rules)) all.push(...(await this.#one(object, expression)))
    return all
  }

  async #one(object: AnyObject, expression: string): Promise<readonly JqPath[]> {
    const known = this.#known.get(object) ?? new Map<string, readonly JqPath[]>()
    this.#known.set(object, known)
    const before = known.get(expression)
    if (before !== undefined) return before
    const paths = await this.#ask(object, expression)
    known.set(expression, paths)
    return paths
  }

  async #ask(object: AnyObject, expression: string): Promise<readonly JqPath[]> {
    try {
      const paths = await this.#jq.paths(object as unknown as Json, expression)
      this.#faults.delete(expression)
      return paths
    } catch (error) {
      if (!(error instanceof ToolFault)) throw error
      // What an object does not have cannot be iterated over: the expression may be meant for others.
      if (error.reason === 'stopped' || isWrong.test(error.message))
        this.#faults.set(expression, firstLine(error.message))
      return []
    }
  }

  /** Which expressions of a rule ignore nothing, and why. */
  faultsOf(rule: IgnoreRule): readonly string[] {
    return jqExpressionsOf([rule]).flatMap((expression) => {
      const fault = this.#faults.get(expression)
      return fault === undefined ? [] : [`jq expression ${expression}: ${fault}`]
    })
  }
}

/** The expression itself is wrong, whatever it is tried on. */
const isWrong = /syntax error|compile error|is not defined|Invalid path expression/

const firstLine = (text: string): string => text.split('\n')[0] ?? ''
