import { expect, it } from 'vitest'
import { age, humanDuration } from './duration.ts'

const [second, minute, hour, day] = [1000, 60_000, 3_600_000, 86_400_000]

it.each<[number, string]>([
  [-5 * second, '<invalid>'],
  [-1 * second, '0s'],
  [0, '0s'],
  [999, '0s'],
  [119 * second, '119s'],
  [2 * minute, '2m'],
  [2 * minute + 5 * second, '2m5s'],
  [10 * minute + 5 * second, '10m'],
  [179 * minute, '179m'],
  [3 * hour, '3h'],
  [3 * hour + 4 * minute, '3h4m'],
  [8 * hour + 4 * minute, '8h'],
  [47 * hour, '47h'],
  [2 * day, '2d'],
  [2 * day + 3 * hour, '2d3h'],
  [8 * day + 3 * hour, '8d'],
  [729 * day, '729d'],
  [2 * 365 * day, '2y'],
  [2 * 365 * day + 3 * day, '2y3d'],
  [9 * 365 * day, '9y'],
])('says %i milliseconds as %s', (milliseconds, text) => {
  expect(humanDuration(milliseconds)).toBe(text)
})

it('knows the age of what has a time', () => {
  expect(age('2025-01-01T00:00:00Z', Date.parse('2025-01-01T00:01:30Z'))).toBe('90s')
  expect(age(undefined, 0)).toBe('<unknown>')
})
