// Texts by their code points, which is how Jsonnet counts, where JavaScript counts units of UTF-16. Most texts have no
// characters outside of the first 65,536 and need no more than a look.

import { budget } from '../budget.ts'

const surrogate = /[\ud800-\udfff]/
/** Shorter ones are looked at again. */
const worthRemembering = 256
let seen = ''
let seenPoints: readonly string[] | undefined

/** Undefined where units are code points. What was asked last is remembered: long texts are gone through one by one. */
function pointsOf(text: string): readonly string[] | undefined {
  if (text.length > worthRemembering && text === seen) return seenPoints
  budget.spend(text.length >> 6)
  const points = surrogate.test(text) ? spread(text) : undefined
  if (text.length > worthRemembering) {
    seen = text
    seenPoints = points
  }
  return points
}

function spread(text: string): readonly string[] {
  budget.spend(text.length)
  return [...text]
}

export const textLength = (text: string): number =>
  text.length < 2 ? text.length : (pointsOf(text)?.length ?? text.length)

export const characters = (text: string): readonly string[] => {
  budget.spend(text.length)
  return pointsOf(text) ?? text.split('')
}

/** Undefined outside of the text. */
export const characterAt = (text: string, index: number): string | undefined => (pointsOf(text) ?? text)[index]

export function textSlice(text: string, from: number, to: number): string {
  const points = pointsOf(text)
  if (points === undefined) return text.slice(from, to)
  budget.spend(Math.max(0, Math.min(to, points.length) - from))
  return points.slice(from, to).join('')
}

/** By code points, where JavaScript compares units: they differ for surrogates only. */
export function compareTexts(left: string, right: string): number {
  budget.spend(Math.min(left.length, right.length) >> 6)
  if (left === right) return 0
  const isLess = left < right
  if (!surrogate.test(left) && !surrogate.test(right)) return isLess ? -1 : 1
  const [a, b] = [spread(left), spread(right)]
  for (let index = 0; index < Math.min(a.length, b.length); index++) {
    const difference = (a[index]?.codePointAt(0) ?? 0) - (b[index]?.codePointAt(0) ?? 0)
    if (difference !== 0) return Math.sign(difference)
  }
  return Math.sign(a.length - b.length)
}
