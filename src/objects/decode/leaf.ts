// Decodes single values of built-in types: checks the type and gives the form in which a Go server stores the value.

import type { Json } from '../object.ts'
import { formatQuantity, parseQuantity, QuantityError, roundUpToMilli } from '../quantity.ts'
import { canonicalMicroTime, canonicalTime, TimeError } from '../time.ts'
import type { LeafPlan } from './plan.ts'
import type { Walk } from './walk.ts'

/** The stored form of `value`; the same value if it has that form already. */
export function decodeLeaf(plan: LeafPlan, value: Json, walk: Walk): Json {
  switch (plan.kind) {
    case 'any':
      return value
    case 'string':
      if (typeof value !== 'string') walk.wrongType(value, plan)
      return value
    case 'bool':
      if (typeof value !== 'boolean') walk.wrongType(value, plan)
      return value
    case 'int':
      return decodeInteger(plan, value, walk)
    case 'float':
      if (typeof value !== 'number') walk.wrongType(value, plan)
      return value
    case 'bytes':
      return decodeBytes(plan, value, walk)
    case 'intOrString':
      return decodeIntOrString(value, walk)
    case 'quantity':
    case 'resourceQuantity':
      return decodeQuantity(plan, value, walk)
    case 'time':
    case 'microTime':
      return decodeTime(plan, value, walk)
  }
}

/** Whether a whole number can be held in as many bits; there is one more below zero than above. */
export const fitsIn = (value: Json, max: number): boolean =>
  Number.isInteger(value) && (value as number) <= max && (value as number) >= -max - 1

const int32Max = 2 ** 31 - 1

/** Go's conversion of values keeps the lower bits of a number that is too large, where its decoder of text refuses it. */
function decodeInteger(plan: LeafPlan, value: Json, walk: Walk): Json {
  if (fitsIn(value, plan.max)) return value
  if (walk.converts && Number.isInteger(value))
    return Number(BigInt.asIntN(plan.max === int32Max ? 32 : 64, BigInt(value as number)))
  walk.wrongType(value, plan)
  return value
}

function decodeIntOrString(value: Json, walk: Walk): Json {
  if (typeof value === 'string') return value
  if (!fitsIn(value, int32Max)) walk.refuseType(value, 'int32')
  return value
}

type QuantityKind = 'quantity' | 'resourceQuantity'

function canonicalQuantity(kind: QuantityKind, value: Json): string {
  const text = typeof value === 'string' || typeof value === 'number' ? value : JSON.stringify(value)
  const quantity = parseQuantity(text)
  return formatQuantity(kind === 'resourceQuantity' ? roundUpToMilli(quantity) : quantity)
}

function decodeQuantity(plan: LeafPlan, value: Json, walk: Walk): Json {
  try {
    return canonicalQuantity(plan.kind === 'resourceQuantity' ? 'resourceQuantity' : 'quantity', value)
  } catch (error) {
    if (error instanceof QuantityError) walk.refuse(error.message)
    throw error
  }
}

/** Texts that were found to be in their stored form lately: most objects of a moment carry the same few. */
class Good {
  readonly #limit: number
  #texts = new Set<string>()

  constructor(limit: number) {
    this.#limit = limit
  }

  has(text: string): boolean {
    return this.#texts.has(text)
  }

  add(text: string): void {
    if (this.#texts.size >= this.#limit) this.#texts.clear()
    this.#texts.add(text)
  }
}

const good = {
  quantity: new Good(2000),
  resourceQuantity: new Good(2000),
  time: new Good(5000),
  microTime: new Good(100),
}

/** The stored form of a quantity; undefined for what is none. */
export function storedQuantity(kind: QuantityKind, value: Json): string | undefined {
  if (typeof value === 'string' && good[kind].has(value)) return value
  try {
    const text = canonicalQuantity(kind, value)
    good[kind].add(text)
    return text
  } catch (error) {
    if (error instanceof QuantityError) return undefined
    throw error
  }
}

/** The stored form of a time; undefined for what is none. */
export function storedTime(kind: 'time' | 'microTime', value: string): string | undefined {
  if (good[kind].has(value)) return value
  try {
    const time = kind === 'time' ? canonicalTime(value) : canonicalMicroTime(value)
    good[kind].add(time)
    return time
  } catch (error) {
    if (error instanceof TimeError) return undefined
    throw error
  }
}

/** Whether base64 text is in its stored form. */
export const isStoredBytes = (text: string): boolean => base64.test(text) && !hasLooseBits(text)

function decodeTime(plan: LeafPlan, value: Json, walk: Walk): Json {
  if (typeof value !== 'string') walk.refuseType(value, 'string')
  try {
    return plan.kind === 'time' ? canonicalTime(value) : canonicalMicroTime(value)
  } catch (error) {
    if (error instanceof TimeError) walk.refuse(error.message)
    throw error
  }
}

const base64 = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/

function decodeBytes(plan: LeafPlan, value: Json, walk: Walk): Json {
  if (typeof value !== 'string') {
    walk.wrongType(value, plan)
    return value
  }
  if (isStoredBytes(value)) return value
  const text = value.replace(/[\r\n]/g, '')
  if (base64.test(text)) return btoa(atob(text))
  walk.saveError(`illegal base64 data at input byte ${base64FaultAt(value)}`)
  return value
}

/** Whether the last character holds bits that encode nothing: decoding and encoding again changes it. */
function hasLooseBits(text: string): boolean {
  return text.endsWith('=') && btoa(atob(text.slice(-4))) !== text.slice(-4)
}

/** Where Go's decoder stops: at the first strange character, or where the text ends too early. */
function base64FaultAt(text: string): number {
  let inGroup = 0
  for (let i = 0; i < text.length; i++) {
    const char = text[i] ?? ''
    if (char === '\n' || char === '\r') continue
    if (char === '=') return paddingFaultAt(text, i, inGroup)
    if (!/[A-Za-z0-9+/]/.test(char)) return i
    inGroup = (inGroup + 1) % 4
  }
  return text.length - inGroup
}

function paddingFaultAt(text: string, at: number, inGroup: number): number {
  if (inGroup < 2) return at
  if (inGroup === 3) return at + 1
  return text[at + 1] === '=' ? at + 2 : Math.min(text.length, at + 1)
}
