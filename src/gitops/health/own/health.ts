// The health of objects with users' own rules in it. What a rule said of an object is kept as long as both stay as they are,
// so that a look at ten thousand objects of which none has changed runs nothing. A script that had to be stopped is left
// alone for a while: it would stop everything behind it again and again.

import { type Customizations, type HealthScript, type OwnHealthRule, ownHealthRule } from '#gitops/customizations'
import { type Lua, ToolFault } from '#gitops/tools'
import { type AnyObject, groupOf, type Json } from '#objects'
import type { World } from '#world'
import { isPendingDeletion } from '../health.ts'
import { healthWithoutOperators } from '../unattended.ts'
import type { Verdict } from '../verdict.ts'
import { healthByExpressions } from './expressions.ts'
import { faulty, verdictOfAnswer } from './script-answer.ts'

export interface Health {
  /** Undefined for what has no health. A promise only where a script has to be run. */
  of(object: AnyObject, customizations: Customizations): Verdict | undefined | Promise<Verdict | undefined>
}

/** A script that asks what time it is may say something else later. */
const timeHoldsMs = 60_000
const restMs = 5 * 60_000

interface Kept {
  readonly verdict: Verdict | undefined
  readonly until?: number
}

/** What one rule has said. */
interface Book {
  readonly verdicts: WeakMap<AnyObject, Kept>
  readonly running: Map<AnyObject, Promise<Verdict | undefined>>
  /** Ends with the run that was asked for last: one after the other, so that a script which had to be stopped is noticed. */
  last: Promise<unknown>
  stopped?: { readonly verdict: Verdict; readonly until: number }
}

interface Found {
  readonly rule: OwnHealthRule
  readonly book: Book
}

export function createHealth(world: World, lua: Lua): Health {
  return new OwnHealth(world, lua)
}

class OwnHealth implements Health {
  readonly #world: World
  readonly #lua: Lua
  #customizations: Customizations | undefined
  /** By kind, under the customizations that were seen last. */
  #found = new Map<string, Found | undefined>()
  /** By what a rule says: one that stays the same while others change keeps its verdicts. */
  #books = new Map<string, Book>()

  constructor(world: World, lua: Lua) {
    this.#world = world
    this.#lua = lua
  }

  of(object: AnyObject, customizations: Customizations): Verdict | undefined | Promise<Verdict | undefined> {
    if (customizations.all.length === 0) return healthWithoutOperators(object)
    const found = this.#find(object, customizations)
    if (found === undefined || isPendingDeletion(object)) return healthWithoutOperators(object)
    const { rule, book } = found
    const now = this.#world.clock.now()
    const kept = book.verdicts.get(object)
    if (kept !== undefined && (kept.until === undefined || now < kept.until)) return kept.verdict
    if (rule.type === 'expressions') return keep(book, object, healthByExpressions(rule.expressions, object))
    if (book.stopped !== undefined && now < book.stopped.until) return book.stopped.verdict
    const running = book.running.get(object)
    if (running !== undefined) return running
    const run = book.last.then(() => this.#run(rule.script, object, book)).finally(() => book.running.delete(object))
    book.running.set(object, run)
    book.last = run.catch(() => undefined)
    return run
  }

  #find(object: AnyObject, customizations: Customizations): Found | undefined {
    if (customizations !== this.#customizations) this.#turnTo(customizations)
    const group = groupOf(object.apiVersion)
    const name = `${group}/${object.kind}`
    if (this.#found.has(name)) return this.#found.get(name)
    const rule = ownHealthRule(customizations, group, object.kind)
    const found = rule === undefined ? undefined : { rule, book: this.#bookOf(rule) }
    this.#found.set(name, found)
    return found
  }

  #turnTo(customizations: Customizations): void {
    this.#customizations = customizations
    this.#found = new Map()
    const said = new Set(
      customizations.all.flatMap(({ script, expressions }) => [
        ...(script === undefined ? [] : [idOf({ type: 'script', script })]),
        ...(expressions === undefined ? [] : [idOf({ type: 'expressions', expressions })]),
      ]),
    )
    this.#books = new Map([...this.#books].filter(([id]) => said.has(id)))
  }

  #bookOf(rule: OwnHealthRule): Book {
    const id = idOf(rule)
    const known = this.#books.get(id)
    if (known !== undefined) return known
    const made: Book = { verdicts: new WeakMap(), running: new Map(), last: Promise.resolve() }
    this.#books.set(id, made)
    return made
  }

  async #run(script: HealthScript, object: AnyObject, book: Book): Promise<Verdict | undefined> {
    const { key, text, openLibs } = script
    if (book.stopped !== undefined && this.#world.clock.now() < book.stopped.until) return book.stopped.verdict
    try {
      const answer = await this.#lua.run({ text, name: 'health.lua', openLibs }, object as unknown as Json)
      const verdict = verdictOfAnswer(answer.value, key)
      if (!answer.asksTime || verdict === undefined) return keep(book, object, verdict)
      return keep(book, object, { ...verdict, until: this.#world.clock.now() + timeHoldsMs })
    } catch (error) {
      if (!(error instanceof ToolFault)) throw error
      if (error.reason !== 'stopped') return keep(book, object, faulty(key, error.message))
      const until = this.#world.clock.now() + restMs
      const verdict = { ...faulty(key, `${error.message}; it is left alone for ${restMs / 60_000} minutes`), until }
      book.stopped = { verdict, until }
      return verdict
    }
  }
}

const idOf = (rule: OwnHealthRule): string => JSON.stringify(rule)

function keep(book: Book, object: AnyObject, verdict: Verdict | undefined): Verdict | undefined {
  book.verdicts.set(object, verdict?.until === undefined ? { verdict } : { verdict, until: verdict.until })
  return verdict
}
