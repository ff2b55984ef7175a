// Semantic versions inside of CEL: `semver("1.2.3").isGreaterThan(…)`, as Kubernetes' library has them.

import type { Functions } from '../types/functions.ts'
import { type CelType, parseType } from '../types/type.ts'
import { TypedValue } from '../values/typed.ts'

const type = parseType('kubernetes.Semver')

export class CelSemver extends TypedValue {
  readonly celType: CelType = type
  readonly numbers: readonly [major: bigint, minor: bigint, patch: bigint]
  readonly #before: readonly string[]

  /** Throws where the text is no version, as blang/semver does. */
  constructor(text: string) {
    super()
    const [core = '', before, build] = partsOf(text)
    const numbers = core.split('.')
    if (text === '') throw new Error('Version string empty')
    if (numbers.length !== 3) throw new Error('No Major.Minor.Patch elements found')
    const names = ['major', 'minor', 'patch']
    const [major, minor, patch] = numbers.map((number, i) => wholeOf(number, names[i] ?? ''))
    this.numbers = [major ?? 0n, minor ?? 0n, patch ?? 0n]
    this.#before = before?.split('.') ?? []
    for (const part of this.#before) checkPart(part, 'prerelease')
    for (const part of build?.split('.') ?? []) checkPart(part, 'build meta data')
  }

  override equals(other: CelSemver): boolean {
    return this.compare(other) === 0
  }

  compare(other: CelSemver): number {
    for (const i of [0, 1, 2] as const) {
      const [a, b] = [this.numbers[i], other.numbers[i]]
      if (a !== b) return a < b ? -1 : 1
    }
    return comparePrereleases(this.#before, other.#before)
  }
}

/** Numbers, what comes before a release, and what says how it was built. */
function partsOf(text: string): readonly [core: string, before: string | undefined, build: string | undefined] {
  const plus = text.indexOf('+')
  const [rest, build] = plus < 0 ? [text, undefined] : [text.slice(0, plus), text.slice(plus + 1)]
  const dash = rest.indexOf('-')
  return dash < 0 ? [rest, undefined, build] : [rest.slice(0, dash), rest.slice(dash + 1), build]
}

function wholeOf(text: string, name: string): bigint {
  if (!/^\d+$/.test(text)) throw new Error(`Invalid character(s) found in ${name} number ${JSON.stringify(text)}`)
  if (/^0\d/.test(text))
    throw new Error(
      `${name[0]?.toUpperCase()}${name.slice(1)} number must not contain leading zeroes ${JSON.stringify(text)}`,
    )
  return BigInt(text)
}

function checkPart(part: string, what: 'prerelease' | 'build meta data'): void {
  if (part === '') throw new Error(what === 'prerelease' ? 'prerelease is empty' : 'build meta data is empty')
  if (!/^[0-9A-Za-z-]+$/.test(part)) throw new Error(`Invalid character(s) found in ${what} ${JSON.stringify(part)}`)
  if (what === 'prerelease' && /^0\d+$/.test(part))
    throw new Error(`Numeric PreRelease version must not contain leading zeroes ${JSON.stringify(part)}`)
}

const number = /^\d+$/

/** A version comes after its pre-releases; their parts are compared one by one, numbers before words. */
function comparePrereleases(a: readonly string[], b: readonly string[]): number {
  if (a.length === 0 || b.length === 0) return Math.sign(b.length - a.length)
  for (let i = 0; i < Math.max(a.length, b.length); i += 1) {
    const [x, y] = [a[i], b[i]]
    if (x === undefined || y === undefined) return x === undefined ? -1 : 1
    if (x === y) continue
    const [isX, isY] = [number.test(x), number.test(y)]
    if (isX && isY) return BigInt(x) < BigInt(y) ? -1 : 1
    if (isX !== isY) return isX ? -1 : 1
    return x < y ? -1 : 1
  }
  return 0
}

function isSemver(text: string): boolean {
  try {
    return new CelSemver(text) !== undefined
  } catch {
    return false
  }
}

/** Forgives a `v` in front, missing numbers and zeros before numbers, if that is asked for. */
function normalized(text: string, forgiving: boolean): string {
  if (!forgiving) return text
  const [major = '', minor, ...rest] = text.replace(/^v/, '').split('.')
  const parts = [major, minor, rest.length === 0 ? undefined : rest.join('.')].filter((part) => part !== undefined)
  const whole = parts.map((part) => {
    const short = part.replace(/^0+/, '')
    return part.length < 2 || /^\d/.test(short) ? (part.length < 2 ? part : short) : `0${short}`
  })
  if (whole.length < 3 && /[+-]/.test(whole.at(-1) ?? ''))
    throw new Error('short version cannot contain PreRelease/Build meta data')
  return [...whole, '0', '0'].slice(0, 3).join('.')
}

function isSemverForgiving(text: string, forgiving: boolean): boolean {
  try {
    return isSemver(normalized(text, forgiving))
  } catch {
    return false
  }
}

export function addVersions(functions: Functions): void {
  const declare = (name: string, signature: string, call: (...args: never[]) => unknown): void => {
    functions.declare(name, signature.replaceAll('Semver', 'kubernetes.Semver'), call)
  }
  declare('semver', '(string) -> Semver', (text: string) => new CelSemver(text))
  declare('semver', '(string, bool) -> Semver', (text: string, forgiving: boolean) => {
    return new CelSemver(normalized(text, forgiving))
  })
  declare('isSemver', '(string) -> bool', isSemver)
  declare('isSemver', '(string, bool) -> bool', isSemverForgiving)
  declare('isGreaterThan', 'Semver.(Semver) -> bool', (a: CelSemver, b: CelSemver) => a.compare(b) > 0)
  declare('isLessThan', 'Semver.(Semver) -> bool', (a: CelSemver, b: CelSemver) => a.compare(b) < 0)
  declare('compareTo', 'Semver.(Semver) -> int', (a: CelSemver, b: CelSemver) => BigInt(a.compare(b)))
  declare('major', 'Semver.() -> int', ({ numbers }: CelSemver) => numbers[0])
  declare('minor', 'Semver.() -> int', ({ numbers }: CelSemver) => numbers[1])
  declare('patch', 'Semver.() -> int', ({ numbers }: CelSemver) => numbers[2])
}
