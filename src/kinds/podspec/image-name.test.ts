import { expect, it } from 'vitest'
import { imageTag } from './image-name.ts'

const digest = `sha256:${'a'.repeat(64)}`

it.each<[string, string]>([
  ['app', 'latest'],
  ['app:1.0', '1.0'],
  ['app:latest', 'latest'],
  ['registry.example.com:5000/team/app', 'latest'],
  ['registry.example.com:5000/team/app:v2', 'v2'],
  [`app@${digest}`, ''],
  [`app:1.0@${digest}`, '1.0'],
  ['[fd00::1]:5000/app:2', '2'],
  ['a__b--c.d/e', 'latest'],
  ['App', ''],
  ['app:', ''],
  ['app: 1', ''],
])('finds the tag of %s', (image, tag) => {
  expect(imageTag(image)).toBe(tag)
})

it('takes no time over long names', () => {
  expect(imageTag(`${'a_'.repeat(20_000)}!`)).toBe('')
})
