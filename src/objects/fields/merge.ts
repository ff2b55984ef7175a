// Merges an applied configuration into the live value: maps by field, associative lists by element, everything else is
// replaced. Lists keep the live order unless the configuration sets another. Shares what does not change.

import { isEqual } from '../equality.ts'
import { isJsonObject, type Json, type JsonObject } from '../object.ts'
import { setOwn } from '../text/json.ts'
import { type Atom, atomsOfPair, fieldAtom, isList, type ListAtom, type MapAtom, ownValue } from './atom.ts'
import { elementName, elementNameIfAny } from './list-element.ts'

type Side = Json | undefined

/** Undefined when nothing is left. Throws an ElementError for list elements without a name. */
export function mergeValues(live: Side, config: Side, atom: Atom): Side {
  if (config === undefined || config === live) return live
  let out: Side
  for (const one of atomsOfPair(atom, live, config)) out = handle(one, live, config)
  return out
}

function handle({ map, scalar, list }: Atom, live: Side, config: Side): Side {
  if (map !== undefined) return mergeMaps(map, live, config)
  if (scalar !== undefined) return replaced(live, config)
  return list === undefined ? undefined : mergeLists(list, live, config)
}

const replaced = (live: Side, config: Side): Side => (config === undefined || isEqual(live, config) ? live : config)

const isEmptyMap = (value: JsonObject | undefined): boolean => value === undefined || Object.keys(value).length === 0

function mergeMaps(map: MapAtom, live: Side, config: Side): Side {
  const [left, right] = [isJsonObject(live) ? live : undefined, isJsonObject(config) ? config : undefined]
  if (map.atomic || (isEmptyMap(left) && isEmptyMap(right))) return replaced(live, config)
  if (right === undefined) return live
  const out: Record<string, Json> = { ...left }
  let changed = left === undefined
  for (const key in right) {
    const atom = fieldAtom(map, key)
    const current = ownValue(left, key)
    const next = atom === undefined ? right[key] : mergeValues(current, right[key], atom)
    if (next === current) continue
    changed = true
    if (next === undefined) delete out[key]
    else setOwn(out, key, next)
  }
  if (!changed) return left
  return Object.keys(out).length === 0 ? undefined : out
}

function mergeLists(list: ListAtom, live: Side, config: Side): Side {
  const [left, right] = [isList(live) ? live : [], isList(config) ? config : []]
  if (list.atomic || (left.length === 0 && right.length === 0)) return replaced(live, config)
  const out = new ListMerge(list, left, right).merge()
  if (out.length === 0) return undefined
  return out.length === left.length && out.every((item, index) => item === left[index]) ? live : out
}

/** One merge of two associative lists: walks both at once, so that shared elements keep the order of the configuration. */
class ListMerge {
  readonly #list: ListAtom
  readonly #left: readonly Json[]
  readonly #leftNames: readonly string[]
  readonly #rightNames: readonly string[]
  /** Elements by name; null where several live ones have the name: those are not merged but replaced. */
  readonly #inLeft: ReadonlyMap<string, Json>
  readonly #inRight: ReadonlyMap<string, Json>
  readonly #shared: string[]
  readonly #merged = new Set<string>()
  readonly #out: Json[] = []

  constructor(list: ListAtom, left: readonly Json[], right: readonly Json[]) {
    this.#list = list
    this.#left = left
    // A live element without a name cannot be meant by the configuration: any name that no other has will do.
    this.#leftNames = left.map((item, at) => elementNameIfAny(list, item) ?? `i:${at}`)
    this.#rightNames = right.map((item) => elementName(list, item))
    this.#inLeft = index(this.#leftNames, left)
    this.#inRight = index(this.#rightNames, right)
    this.#shared = this.#rightNames.filter((name) => this.#inLeft.has(name))
  }

  merge(): readonly Json[] {
    const [lefts, rights] = [this.#leftNames, this.#rightNames]
    let next = this.#shared.shift()
    let [l, r] = [0, 0]
    while (l < lefts.length || r < rights.length) {
      const [left, right] = [lefts[l], rights[r]]
      if (left !== undefined && right !== undefined) {
        if (left === right) {
          this.#take(left)
          l++
          r++
          next = this.#shared.shift()
          continue
        }
        if (this.#inRight.has(left) && next !== undefined && next !== left) {
          // Shared, but not the one whose turn it is.
          l++
          continue
        }
      }
      if (left !== undefined) {
        if (!this.#inRight.has(left)) {
          this.#push(this.#left[l])
          l++
          continue
        }
        if (this.#merged.has(left)) l++
      }
      if (right !== undefined) {
        this.#take(right)
        r++
        if (next === right) next = this.#shared.shift()
      }
    }
    return this.#out
  }

  #take(name: string): void {
    this.#merged.add(name)
    this.#push(mergeValues(this.#inLeft.get(name), this.#inRight.get(name), this.#list.element))
  }

  #push(item: Side): void {
    if (item !== undefined) this.#out.push(item)
  }
}

function index(names: readonly string[], items: readonly Json[]): ReadonlyMap<string, Json> {
  const map = new Map<string, Json>()
  names.forEach((name, at) => {
    map.set(name, map.has(name) ? null : (items[at] ?? null))
  })
  return map
}
