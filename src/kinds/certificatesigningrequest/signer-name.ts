// Names of signers: `example.com/path`.

import { type FieldError, invalid, required, tooLong } from '../field-error.ts'
import { dnsLabel, dnsSubdomain } from '../metadata/formats.ts'

const maxDomain = 253

export function checkSignerName(name: string, path: string, errors: FieldError[]): void {
  if (name === '') errors.push(required(path))
  const [domain = '', rest = '', ...more] = name.split('/')
  if (!name.includes('/') || more.length > 0) {
    errors.push(invalid(path, name, "must be a fully qualified domain and path of the form 'example.com/signer-name'"))
    return
  }
  if (domain.length > maxDomain) errors.push(tooLong(path, maxDomain))
  const labels = domain.split('.')
  for (const label of labels)
    for (const fault of dnsLabel(label)) errors.push(invalid(path, domain, `validating label "${label}": ${fault}`))
  if (labels.length < 2)
    errors.push(invalid(path, domain, 'should be a domain with at least two segments separated by dots'))
  for (const label of rest.split('.'))
    for (const fault of dnsSubdomain(label)) errors.push(invalid(path, rest, `validating label "${label}": ${fault}`))
}
