// Loops of expressions: what is gathered from element to element. Lists and maps that grow by one element each time grow in
// place, so that a loop of a thousand elements does not copy a thousand lists.

import { attempt, conditional, Failed, type Frame, listCost, type Plans, type Run } from './run.ts'
import type { Call, Comprehension, Node } from './syntax/tree.ts'
import { CelOptional } from './values/optional.ts'
import { entryOf, isList, isMap, keyOf, keysOf } from './values/typed.ts'

export function comprehension(node: Comprehension, planner: Plans): Run {
  const range = planner.plan(node.range)
  const begin = planner.plan(node.begin)
  const place = planner.locals.push(node.gathered) - 1
  for (const name of node.variables) planner.locals.push(name)
  const condition = planner.plan(node.condition)
  const isGrowing = node.begin.kind === 'list' || node.begin.kind === 'map'
  const step = (isGrowing ? growth(node.step, node.gathered, { place, planner }) : undefined) ?? planner.plan(node.step)
  planner.locals.splice(place + 1, node.variables.length)
  const result = planner.plan(node.result)
  planner.locals.splice(place, 1)
  const hasTwo = node.variables.length === 2
  return (frame) => {
    const { locals } = frame
    const elements = roundsOf(range(frame), hasTwo)
    locals[place] = begin(frame)
    for (const [first, second] of elements) {
      locals[place + 1] = first
      if (hasTwo) locals[place + 2] = second
      if (condition(frame) !== true) break
      locals[place] = attempt(step, frame)
    }
    return result(frame)
  }
}

type Round = readonly [unknown, unknown?]

function* roundsOf(range: unknown, hasTwo: boolean): Generator<Round> {
  if (isList(range)) {
    for (const [i, element] of range.entries()) yield hasTwo ? [BigInt(i), element] : [element]
    return
  }
  if (!isMap(range)) throw new Error('no such overload')
  for (const key of keysOf(range)) yield hasTwo ? [key, entryOf(range, key)] : [key]
}

interface Growing {
  readonly place: number
  readonly planner: Plans
}

/** A step that adds to what is gathered; undefined where it does something else. */
function growth(node: Node, gathered: string, growing: Growing): Run | undefined {
  if (node.kind !== 'call') return undefined
  const [first, second, third] = node.args
  if (node.name === '_?_:_' && first !== undefined && second !== undefined && isGathered(third, gathered)) {
    const grown = growth(second, gathered, growing)
    return grown && conditional(growing.planner.plan(first), grown, growing.planner.plan(third as Node))
  }
  if (!isGathered(first, gathered) || second === undefined) return undefined
  if (node.name === '_+_' && second.kind === 'list' && second.elements.length === 1)
    return pushed(growing.planner.plan((second.elements[0] as { readonly value: Node }).value), growing.place)
  return node.name === 'cel.@mapInsert' ? inserted(node, growing) : undefined
}

const isGathered = (node: Node | undefined, name: string): boolean => node?.kind === 'ident' && node.name === name

/** The name, the list of one and the sum cost what they cost. */
const pushCost = 1 + listCost + 1

function pushed(element: Run, place: number): Run {
  return (frame) => {
    const list = gatheredIn(frame, place) as unknown[]
    list.push(element(frame))
    frame.meter.charge(pushCost)
    return list
  }
}

function inserted({ args: [, ...given] }: Call, { place, planner }: Growing): Run {
  const [first, second] = given.map((arg) => planner.plan(arg))
  return (frame) => {
    const map = gatheredIn(frame, place) as Map<unknown, unknown>
    const one = first?.(frame)
    frame.meter.charge(2)
    if (second !== undefined) insert(map, one, second(frame))
    else {
      const entries = one instanceof CelOptional ? (one.held ?? new Map()) : one
      if (!isMap(entries)) throw new Error('no such overload')
      for (const key of keysOf(entries)) insert(map, key, entryOf(entries, key))
    }
    return map
  }
}

function insert(map: Map<unknown, unknown>, key: unknown, value: unknown): void {
  if (entryOf(map, key) !== undefined) throw new Error(`insert failed: key ${String(key)} already exists`)
  map.set(keyOf(key), value)
}

function gatheredIn({ locals }: Frame, place: number): unknown {
  const value = locals[place]
  if (value instanceof Failed) throw value.error
  return value
}
