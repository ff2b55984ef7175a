import { describe, expect, it } from 'vitest'
import { compileCel } from '../compile.ts'
import { environmentOf } from '../environment.ts'

const evaluate = (expression: string): unknown => {
  const compiled = compileCel(expression, environmentOf({}))
  if (!compiled.ok) throw new Error(compiled.faults)
  return compiled.program.evaluate({})
}

describe('versions in CEL', () => {
  it.each([
    ['semver("1.10.0").isGreaterThan(semver("1.9.9"))', true],
    ['semver("1.0.0-rc.1").isLessThan(semver("1.0.0"))', true],
    ['semver("1.0.0-rc.2").compareTo(semver("1.0.0-rc.10"))', -1n],
    ['semver("1.0.0-alpha").compareTo(semver("1.0.0-1"))', 1n],
    ['semver("1.2.3+build").minor()', 2n],
    ['isSemver("1.2")', false],
    ['isSemver("0.1.0")', true],
  ])('%s', (expression, expected) => {
    expect(evaluate(expression)).toBe(expected)
  })

  it('say what is no version', () => {
    expect(() => evaluate('semver("v1")')).toThrow('No Major.Minor.Patch elements found')
  })
})
