import { expect, it } from 'vitest'
import { bundleFault } from './ca-bundle.ts'

const pem = (type: string): string => `-----BEGIN ${type}-----\nAAAA\n-----END ${type}-----\n`

it.each<[string, string, string | undefined]>([
  ['a certificate', pem('CERTIFICATE'), undefined],
  ['a certificate after a key', pem('PRIVATE KEY') + pem('CERTIFICATE'), undefined],
  ['a key', pem('PRIVATE KEY'), 'unable to load root certificates: no valid certificate authority data seen'],
  ['other text', 'hello', 'unable to load root certificates: unable to parse bytes as PEM block'],
])('a bundle of %s', (_, text, fault) => {
  expect(bundleFault(Buffer.from(text).toString('base64'))).toBe(fault)
})
