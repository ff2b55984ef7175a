// Named formats inside of CEL: `format.dns1123Label().validate(self)` gives the faults of a text, or nothing
// (k8s.io/apiserver/pkg/cel/library/format.go).

import { formatChecks } from '../../customresource/formats.ts'
import { dnsLabel, dnsLabel1035, dnsSubdomain, labelValue, qualifiedName } from '../../metadata/formats.ts'
import type { Functions } from '../types/functions.ts'
import { type CelType, parseType } from '../types/type.ts'
import { CelOptional } from '../values/optional.ts'
import { TypedValue } from '../values/typed.ts'
import { urlFault } from './urls.ts'

const type = parseType('kubernetes.NamedFormat')

class CelFormat extends TypedValue {
  readonly celType: CelType = type
  readonly faults: (text: string) => readonly string[]
  constructor(faults: (text: string) => readonly string[]) {
    super()
    this.faults = faults
  }

  override equals(other: CelFormat): boolean {
    return this.faults === other.faults
  }
}

/** What a generated name begins with may end in a dash. */
const asPrefix = (faults: (text: string) => readonly string[]) => (text: string) => faults(text.replace(/-$/, 'a'))

const checked =
  (format: string, fault: string) =>
  (text: string): readonly string[] =>
    formatChecks[format]?.(text) === false ? [fault] : []

const formats: Readonly<Record<string, (text: string) => readonly string[]>> = {
  dns1123Label: dnsLabel,
  dns1123Subdomain: dnsSubdomain,
  dns1035Label: dnsLabel1035,
  qualifiedName,
  dns1123LabelPrefix: asPrefix(dnsLabel),
  dns1123SubdomainPrefix: asPrefix(dnsSubdomain),
  dns1035LabelPrefix: asPrefix(dnsLabel1035),
  labelValue,
  uri: (text) => {
    const fault = urlFault(text)
    return fault === undefined ? [] : [fault]
  },
  uuid: checked('uuid', 'does not match the UUID format'),
  byte: checked('byte', 'invalid base64'),
  date: checked('date', 'invalid date'),
  datetime: checked('datetime', 'invalid datetime'),
}

export function addFormats(functions: Functions): void {
  const named = new Map(Object.entries(formats).map(([name, faults]) => [name, new CelFormat(faults)]))
  for (const [name, format] of named) functions.declare(`format.${name}`, '() -> kubernetes.NamedFormat', () => format)
  functions.declare('format.named', '(string) -> optional_type(kubernetes.NamedFormat)', (name: string) => {
    return new CelOptional(named.get(name))
  })
  functions.declare(
    'validate',
    'kubernetes.NamedFormat.(string) -> optional_type(list(string))',
    ({ faults }: CelFormat, text: string) => {
      const found = faults(text)
      return found.length === 0 ? CelOptional.none : new CelOptional(found)
    },
  )
}
