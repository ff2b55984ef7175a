// Semantic versions inside of CEL: `semver("1.2.3").isGreaterThan(…)`, as Kubernetes' library has them.

import type { Functions } from '../types/functions.ts'
import { type CelType, parseType } from '../types/type.ts'
import { TypedValue } from '../values/typed.ts'

const form = /^(0|[1-9]\d*)\.(0|[1-9]\d*)\.(0|[1-9]\d*)(?:-([0-9A-Za-z-]+(?:\.[0-9A-Za-z-]+)*))?(?:\+[0-9A-Za-z.-]+)?$/

const type = parseType('kubernetes.Semver')

export class CelSemver extends TypedValue {
  readonly celType: CelType = type
  readonly numbers: readonly [major: bigint, minor: bigint, patch: bigint]
  readonly #before: readonly string[]

  constructor(text: string) {
    super()
    const match = form.exec(text)
    if (match === null) throw new Error(`No Major.Minor.Patch elements found in ${JSON.stringify(text)}`)
    this.numbers = [BigInt(match[1] ?? 0), BigInt(match[2] ?? 0), BigInt(match[3] ?? 0)]
    this.#before = match[4]?.split('.') ?? []
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

const isSemver = (text: string): boolean => form.test(text)

/** Forgives a `v` in front, missing numbers and zeros before numbers, if that is asked for. */
function normalized(text: string, forgiving: boolean): string {
  if (!forgiving) return text
  const match = /^v?(\d+(?:\.\d+){0,2})(.*)$/.exec(text)
  if (match === null) return text
  const numbers = (match[1] ?? '').split('.').map((part) => part.replace(/^0+(?=\d)/, ''))
  return `${[...numbers, '0', '0'].slice(0, 3).join('.')}${match[2] ?? ''}`
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
  declare('isSemver', '(string, bool) -> bool', (text: string, forgiving: boolean) =>
    isSemver(normalized(text, forgiving)),
  )
  declare('isGreaterThan', 'Semver.(Semver) -> bool', (a: CelSemver, b: CelSemver) => a.compare(b) > 0)
  declare('isLessThan', 'Semver.(Semver) -> bool', (a: CelSemver, b: CelSemver) => a.compare(b) < 0)
  declare('compareTo', 'Semver.(Semver) -> int', (a: CelSemver, b: CelSemver) => BigInt(a.compare(b)))
  declare('major', 'Semver.() -> int', ({ numbers }: CelSemver) => numbers[0])
  declare('minor', 'Semver.() -> int', ({ numbers }: CelSemver) => numbers[1])
  declare('patch', 'Semver.() -> int', ({ numbers }: CelSemver) => numbers[2])
}
