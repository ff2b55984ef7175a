// Certificates of authorities that a webhook's client trusts: whether a bundle has any. Certificates themselves are not
// read here.

import { decodeBase64 } from '../secret/base64.ts'

const block = /-----BEGIN ([^-]+)-----\r?\n[\s\S]*?-----END \1-----[ \t]*(?:\r?\n|$)/

/** What is wrong with a bundle in base64; undefined if nothing. */
export function bundleFault(bundle: string): string | undefined {
  const fault = (why: string): string => `unable to load root certificates: ${why}`
  let rest = decodeBase64(bundle) ?? ''
  while (rest !== '') {
    const found = block.exec(rest)
    if (found === null) return fault('unable to parse bytes as PEM block')
    if (found[1] === 'CERTIFICATE') return undefined
    rest = rest.slice(found.index + found[0].length)
  }
  return fault('no valid certificate authority data seen')
}
