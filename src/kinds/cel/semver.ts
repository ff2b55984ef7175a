// Semantic versions inside of CEL: `semver("1.2.3").isGreaterThan(…)`, as Kubernetes' library has them.

import type { Environment } from '@marcbachmann/cel-js'

const form = /^(0|[1-9]\d*)\.(0|[1-9]\d*)\.(0|[1-9]\d*)(?:-([0-9A-Za-z-]+(?:\.[0-9A-Za-z-]+)*))?(?:\+[0-9A-Za-z.-]+)?$/

export class CelSemver {
  readonly numbers: readonly [major: bigint, minor: bigint, patch: bigint]
  readonly #before: readonly string[]

  constructor(text: string) {
    const match = form.exec(text)
    if (match === null) throw new Error(`No Major.Minor.Patch elements found in ${JSON.stringify(text)}`)
    this.numbers = [BigInt(match[1] ?? 0), BigInt(match[2] ?? 0), BigInt(match[3] ?? 0)]
    this.#before = match[4]?.split('.') ?? []
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

export function addVersions(env: Environment): void {
  env.registerType('Semver', CelSemver)
  env.registerFunction('semver(string): Semver', (text: string) => new CelSemver(text))
  env.registerFunction(
    'semver(string, bool): Semver',
    (text: string, forgiving: boolean) => new CelSemver(normalized(text, forgiving)),
  )
  env.registerFunction('isSemver(string): bool', isSemver)
  env.registerFunction('isSemver(string, bool): bool', (text: string, forgiving: boolean) =>
    isSemver(normalized(text, forgiving)),
  )
  env.registerOperator('Semver == Semver', (a: CelSemver, b: CelSemver) => a.compare(b) === 0)
  env.registerFunction('Semver.isGreaterThan(Semver): bool', (a: CelSemver, b: CelSemver) => a.compare(b) > 0)
  env.registerFunction('Semver.isLessThan(Semver): bool', (a: CelSemver, b: CelSemver) => a.compare(b) < 0)
  env.registerFunction('Semver.compareTo(Semver): int', (a: CelSemver, b: CelSemver) => BigInt(a.compare(b)))
  env.registerFunction('Semver.major(): int', ({ numbers }: CelSemver) => numbers[0])
  env.registerFunction('Semver.minor(): int', ({ numbers }: CelSemver) => numbers[1])
  env.registerFunction('Semver.patch(): int', ({ numbers }: CelSemver) => numbers[2])
}
