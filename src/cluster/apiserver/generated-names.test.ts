import { expect, test } from 'vitest'
import { simulatedWorld } from '#world'
import { GeneratedNames } from './generated-names.ts'

const names = (seed: number): GeneratedNames => new GeneratedNames(simulatedWorld(seed).random)

test('depend on the seed and on their own prefix alone', () => {
  const first = names(1)
  const alone = [first.next('pods', 'web-'), first.next('pods', 'web-')]
  const second = names(1)
  const between = [second.next('pods', 'web-'), second.next('pods', 'db-'), second.next('pods', 'web-')]
  expect([between[0], between[2]]).toEqual(alone)
  expect(new Set([...between, second.next('jobs', 'web-')]).size).toBe(4)
  expect(names(2).next('pods', 'web-')).not.toBe(alone[0])
})

test('a prefix that was forgotten goes on with other names', () => {
  const many = names(1)
  const first = many.next('pods', 'web-')
  for (let count = 0; count < 20_000; count++) many.next('pods', `job-${count}-`)
  expect(many.next('pods', 'web-')).not.toBe(first)
})
