// Named formats inside of CEL: `format.dns1123Label().validate(self)` gives the faults of a text, or nothing
// (k8s.io/apiserver/pkg/cel/library/format.go).

import { type Environment, Optional } from '@marcbachmann/cel-js'
import { formatChecks } from '../customresource/formats.ts'
import { dnsLabel, dnsLabel1035, dnsSubdomain, labelValue, qualifiedName } from '../metadata/formats.ts'

class CelFormat {
  readonly faults: (text: string) => readonly string[]
  constructor(faults: (text: string) => readonly string[]) {
    this.faults = faults
  }
}

class CelFormats {}

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
  uri: (text) =>
    formatChecks['uri']?.(text) === false ? [`parse ${JSON.stringify(text)}: invalid URI for request`] : [],
  uuid: checked('uuid', 'does not match the UUID format'),
  byte: checked('byte', 'invalid base64'),
  date: checked('date', 'invalid date'),
  datetime: checked('datetime', 'invalid datetime'),
}

export function addFormats(env: Environment): void {
  env.registerType('Format', CelFormat)
  env.registerType('Formats', CelFormats)
  env.registerConstant('format', 'Formats', new CelFormats())
  for (const [name, faults] of Object.entries(formats)) {
    const format = new CelFormat(faults)
    env.registerFunction(`Formats.${name}(): Format`, () => format)
  }
  env.registerFunction('Formats.named(string): optional<Format>', (_all: unknown, name: string) => {
    const faults = Object.hasOwn(formats, name) ? formats[name] : undefined
    return faults === undefined ? Optional.none() : Optional.of(new CelFormat(faults))
  })
  env.registerFunction('Format.validate(string): optional<list<string>>', ({ faults }: CelFormat, text: string) => {
    const found = faults(text)
    return found.length === 0 ? Optional.none() : Optional.of(found)
  })
}
