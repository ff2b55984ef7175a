// What strings may look like: names, labels, keys, ports. Each check returns the texts of its faults, none if the string
// is fine. Rules and texts of k8s.io/apimachinery/pkg/util/validation; those of labels are in #objects, for selectors.

import { maxLengthText, nonEmptyText, regexText } from '#objects'

export { dnsSubdomain, labelValue, maxLengthText, nonEmptyText, qualifiedName, regexText } from '#objects'

const label = '[a-z0-9]([-a-z0-9]*[a-z0-9])?'
const subdomain = `${label}(\\.${label})*`
const label1035 = '[a-z]([-a-z0-9]*[a-z0-9])?'
const underscoreLabel = '_?[a-z0-9]([-_a-z0-9]*[a-z0-9])?'

const whole = (pattern: string): RegExp => new RegExp(`^(?:${pattern})$`)
const patterns = {
  label: whole(label),
  subdomain: whole(subdomain),
  label1035: whole(label1035),
  underscoreSubdomain: whole(`${underscoreLabel}(\\.${underscoreLabel})*`),
  wildcard: whole(`\\*\\.${subdomain}`),
  configMapKey: /^[-._a-zA-Z0-9]+$/,
  headerName: /^[-A-Za-z0-9]+$/,
  percent: /^[0-9]+%$/,
}

export const rangeText = (low: number, high: number): string => `must be between ${low} and ${high}, inclusive`
export const nonNegativeText = 'must be greater than or equal to 0'
export const positiveText = 'must be greater than zero'
export const immutableText = 'field is immutable'

/** Length in UTF-8 bytes, which is what Go counts. */
export function byteLength(text: string): number {
  let length = text.length
  for (let i = 0; i < text.length; i++) {
    const code = text.charCodeAt(i)
    // A surrogate pair is two code units and four bytes; other characters above 0x7ff are one unit and three bytes.
    if (code > 0x7ff) length += code >= 0xd800 && code <= 0xdfff ? 1 : 2
    else if (code > 0x7f) length += 1
  }
  return length
}

const none: readonly string[] = []
const labelText = regexText(
  "a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', and must start and end with an alphanumeric character",
  label,
  'my-name',
  '123-abc',
)

export function dnsLabel(text: string): readonly string[] {
  const faults: string[] = []
  if (text.length > 63) faults.push(maxLengthText(63))
  if (!patterns.label.test(text)) faults.push(patterns.subdomain.test(text) ? 'must not contain dots' : labelText)
  return faults.length === 0 ? none : faults
}

const underscoreText = regexText(
  "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '_', '-' or '.', and must start and end with an alphanumeric character",
  `${underscoreLabel}(\\.${underscoreLabel})*`,
  'example.com',
)

export function dnsSubdomainWithUnderscore(text: string): readonly string[] {
  const faults: string[] = []
  if (text.length > 253) faults.push(maxLengthText(253))
  if (!patterns.underscoreSubdomain.test(text)) faults.push(underscoreText)
  return faults.length === 0 ? none : faults
}

const wildcardText = regexText(
  "a wildcard DNS-1123 subdomain must start with '*.', followed by a valid DNS subdomain, which must consist of lower case alphanumeric characters, '-' or '.' and end with an alphanumeric character",
  `\\*\\.${subdomain}`,
  '*.example.com',
)

export function wildcardSubdomain(text: string): readonly string[] {
  const faults: string[] = []
  if (text.length > 253) faults.push(maxLengthText(253))
  if (!patterns.wildcard.test(text)) faults.push(wildcardText)
  return faults.length === 0 ? none : faults
}

const label1035Text = regexText(
  "a DNS-1035 label must consist of lower case alphanumeric characters or '-', start with an alphabetic character, and end with an alphanumeric character",
  label1035,
  'my-name',
  'abc-123',
)

export function dnsLabel1035(text: string): readonly string[] {
  const faults: string[] = []
  if (text.length > 63) faults.push(maxLengthText(63))
  if (!patterns.label1035.test(text)) faults.push(label1035Text)
  return faults.length === 0 ? none : faults
}

/** The names of RBAC objects: anything that can stand in a path. */
export function pathSegment(text: string): readonly string[] {
  if (text === '.' || text === '..') return [`may not be '${text}'`]
  return ['/', '%'].filter((part) => text.includes(part)).map((part) => `may not contain '${part}'`)
}

export function envVarName(text: string): readonly string[] {
  if (text === '') return [nonEmptyText]
  return /^[ -<>-~]+$/.test(text)
    ? none
    : ["a valid environment variable name must consist only of printable ASCII characters other than '='"]
}

export function configMapKey(text: string): readonly string[] {
  const faults: string[] = []
  if (text.length > 253) faults.push(maxLengthText(253))
  if (!patterns.configMapKey.test(text))
    faults.push(
      regexText(
        "a valid config key must consist of alphanumeric characters, '-', '_' or '.'",
        '[-._a-zA-Z0-9]+',
        'key.name',
        'KEY_NAME',
        'key-name',
      ),
    )
  if (text === '.' || text === '..') faults.push(`must not be '${text}'`)
  else if (text.startsWith('..')) faults.push("must not start with '..'")
  return faults.length === 0 ? none : faults
}

export const httpHeaderName = (text: string): readonly string[] =>
  patterns.headerName.test(text)
    ? none
    : [
        regexText(
          "a valid HTTP header must consist of alphanumeric characters or '-'",
          '[-A-Za-z0-9]+',
          'X-Header-Name',
        ),
      ]

export const percent = (text: string): readonly string[] =>
  patterns.percent.test(text)
    ? none
    : [regexText("a valid percent string must be a numeric string followed by an ending '%'", '[0-9]+%', '1%', '93%')]

export const portNumber = (port: number): readonly string[] =>
  Number.isInteger(port) && port >= 1 && port <= 65535 ? none : [rangeText(1, 65535)]

export function portName(text: string): readonly string[] {
  const faults: string[] = []
  if (text.length > 15) faults.push(maxLengthText(15))
  if (!/^[-a-z0-9]+$/.test(text)) faults.push('must contain only alpha-numeric characters (a-z, 0-9), and hyphens (-)')
  if (!/[a-z]/.test(text)) faults.push('must contain at least one letter (a-z)')
  if (text.includes('--')) faults.push('must not contain consecutive hyphens')
  if (text.startsWith('-') || text.endsWith('-')) faults.push('must not begin or end with a hyphen')
  return faults.length === 0 ? none : faults
}

/** A user or group id. */
export const numericId = (id: number): readonly string[] =>
  id >= 0 && id <= 2147483647 ? none : [rangeText(0, 2147483647)]
