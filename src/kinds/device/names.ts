// Names that resource.k8s.io has of its own: of pools, and of attributes and capacities with or without a domain.

import { checkDriverName } from '../csidriver/index.ts'
import { type FieldError, invalid, required, tooLong, typeInvalid } from '../field-error.ts'
import { dnsLabel, dnsSubdomain, regexText } from '../metadata/formats.ts'

const maxPoolName = 253
const maxDomain = 63
const maxIdentifier = 32
/** Of an attribute's name with its domain. */
const maxQualified = maxDomain + 1 + maxIdentifier

export interface Place {
  readonly path: string
  readonly errors: FieldError[]
}

/** Of requests, devices and counters. */
export function checkLabel(name: string | undefined, { path, errors }: Place): void {
  for (const fault of dnsLabel(name ?? '')) errors.push(invalid(path, name ?? '', fault))
}

export function checkPoolName(name: string | undefined, { path, errors }: Place): void {
  if (!name) {
    errors.push(required(path))
    return
  }
  if (name.length > maxPoolName) errors.push(tooLong(path, maxPoolName))
  for (const part of name.split('/')) for (const fault of dnsSubdomain(part)) errors.push(invalid(path, part, fault))
}

const identifier = '[A-Za-z_][A-Za-z0-9_]*'
const identifierPattern = new RegExp(`^${identifier}$`)
const identifierText = regexText(
  "a valid C identifier must start with alphabetic character or '_', followed by a string of alphanumeric characters or '_'",
  identifier,
  'my_name',
  'MY_NAME',
  'MyName',
)

function checkIdentifier(name: string, { path, errors }: Place): void {
  if (name.length > maxIdentifier) errors.push(tooLong(path, maxIdentifier))
  if (!identifierPattern.test(name)) errors.push(typeInvalid(path, name, identifierText))
}

/** `name` or `domain/name`. */
export function checkQualifiedName(name: string, { path, errors }: Place): void {
  if (name === '') {
    errors.push(required(path, 'name required'))
    return
  }
  const parts = name.split('/')
  const [first = '', second] = parts
  if (second === undefined) checkIdentifier(first, { path, errors })
  else if (parts.length === 2) {
    if (first === '') errors.push(required(path, 'the domain must not be empty'))
    else checkDriverName(first, path, errors)
    if (second === '') errors.push(required(path, 'the name must not be empty'))
    else checkIdentifier(second, { path, errors })
  }
}

/** `domain/name`. */
export function checkFullyQualifiedName(name: string, { path, errors }: Place): void {
  checkQualifiedName(name, { path, errors })
  if (name !== '' && !name.includes('/')) errors.push(invalid(path, name, 'must include a domain'))
}

const ellipsis = '...'

/** A key as paths show it: the middle of a long one is left out. */
export function shownKey(key: string): string {
  if (key.length <= maxQualified) return key
  const rest = maxQualified - ellipsis.length
  return `${key.slice(0, Math.floor((rest + 1) / 2))}${ellipsis}${key.slice(key.length - Math.floor(rest / 2))}`
}
