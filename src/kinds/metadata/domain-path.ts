// Names such as `example.com/path`: IngressClass controllers, managers of Jobs.

import { type FieldError, invalid, required } from '../field-error.ts'
import { dnsSubdomain, regexText } from './formats.ts'

const pathFormat = "[A-Za-z0-9/\\-._~%!$&'()*+,;=:]+"
const pathPattern = new RegExp(`^${pathFormat}$`)

export function checkDomainPath(text: string, path: string, errors: FieldError[]): void {
  if (text === '') {
    errors.push(required(path))
    return
  }
  const slash = text.indexOf('/')
  const [host, rest] = slash < 0 ? [text, ''] : [text.slice(0, slash), text.slice(slash + 1)]
  if (host === '' || rest === '') {
    errors.push(invalid(path, text, 'must be a domain-prefixed path (such as "acme.io/foo")'))
    return
  }
  for (const fault of dnsSubdomain(host)) errors.push(invalid(path, host, fault))
  if (!pathPattern.test(rest)) errors.push(invalid(path, rest, regexText('Invalid path', pathFormat)))
}
