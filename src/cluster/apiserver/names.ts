// Which names Kubernetes accepts, with its own messages (k8s.io/apimachinery/pkg/util/validation and
// pkg/api/validation/path). Each check returns the texts of what is wrong; an empty list means valid.

const valid: readonly string[] = []

const label1123 = '[a-z0-9]([-a-z0-9]*[a-z0-9])?'
const subdomain = `${label1123}(\\.${label1123})*`
const label1035 = '[a-z]([-a-z0-9]*[a-z0-9])?'
const qualifiedPart = '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]'
const labelValue = `(${qualifiedPart})?`

const whole = (pattern: string): RegExp => new RegExp(`^${pattern}$`)
const label1123Pattern = whole(label1123)
const subdomainPattern = whole(subdomain)
const label1035Pattern = whole(label1035)
const qualifiedPattern = whole(qualifiedPart)
const labelValuePattern = whole(labelValue)

const regexText = (message: string, pattern: string, ...examples: readonly string[]): string => {
  if (examples.length === 0) return `${message} (regex used for validation is '${pattern}')`
  return `${message} (e.g. ${examples.map((example) => `'${example}', `).join(' or ')}regex used for validation is '${pattern}')`
}

const tooLong = (max: number): string => `must be no more than ${max} characters`

const subdomainText = regexText(
  "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end with an alphanumeric character",
  subdomain,
  'example.com',
)
const labelText = regexText(
  "a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', and must start and end with an alphanumeric character",
  label1123,
  'my-name',
  '123-abc',
)
const label1035Text = regexText(
  "a DNS-1035 label must consist of lower case alphanumeric characters or '-', start with an alphabetic character, and end with an alphanumeric character",
  label1035,
  'my-name',
  'abc-123',
)
const qualifiedText = regexText(
  "must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character",
  qualifiedPart,
  'MyName',
  'my.name',
  '123-abc',
)
const labelValueText = regexText(
  "a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character",
  labelValue,
  'MyValue',
  'my_value',
  '12345',
)

const check = (value: string, max: number, pattern: RegExp, text: string): readonly string[] => {
  if (value.length <= max && pattern.test(value)) return valid
  return [...(value.length > max ? [tooLong(max)] : []), ...(pattern.test(value) ? [] : [text])]
}

export const subdomainFaults = (value: string): readonly string[] => check(value, 253, subdomainPattern, subdomainText)
export const labelFaults = (value: string): readonly string[] => check(value, 63, label1123Pattern, labelText)
export const label1035Faults = (value: string): readonly string[] => check(value, 63, label1035Pattern, label1035Text)
export const labelValueFaults = (value: string): readonly string[] =>
  check(value, 63, labelValuePattern, labelValueText)

/** Names that would break a URL path: all that RBAC kinds ask of theirs. */
export function pathSegmentFaults(value: string): readonly string[] {
  if (value === '.' || value === '..') return [`may not be '${value}'`]
  return [
    ...(value.includes('/') ? [`may not contain '/'`] : []),
    ...(value.includes('%') ? [`may not contain '%'`] : []),
  ]
}

/** `prefix.example.com/name`, the form of label and annotation keys and of finalizers. */
export function qualifiedNameFaults(value: string): readonly string[] {
  if (value.length <= 63 && qualifiedPattern.test(value)) return valid
  const parts = value.split('/')
  if (parts.length > 2) {
    const text =
      "a qualified name must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character"
    return [
      `${regexText(text, qualifiedPart, 'MyName', 'my.name', '123-abc')} with an optional DNS subdomain prefix and '/' (e.g. 'example.com/MyName')`,
    ]
  }
  const name = parts.at(-1) ?? ''
  const faults: string[] = []
  if (parts.length === 2) {
    const prefix = parts[0] ?? ''
    if (prefix === '') faults.push('prefix part must be non-empty')
    else faults.push(...subdomainFaults(prefix).map((fault) => `prefix part ${fault}`))
  }
  if (name === '') faults.push('name part must be non-empty')
  else if (name.length > 63) faults.push(`name part ${tooLong(63)}`)
  if (!qualifiedPattern.test(name)) faults.push(`name part ${qualifiedText}`)
  return faults
}

export type NameRule = 'subdomain' | 'label' | 'label1035' | 'path'

const ruleFaults: Readonly<Record<NameRule, (value: string) => readonly string[]>> = {
  subdomain: subdomainFaults,
  label: labelFaults,
  label1035: label1035Faults,
  path: pathSegmentFaults,
}

/** A prefix (generateName) may end in a dash, because something follows. */
export function nameFaults(rule: NameRule, value: string, isPrefix: boolean): readonly string[] {
  const masked = isPrefix && value.length > 1 && value.endsWith('-') ? `${value.slice(0, -2)}a` : value
  return ruleFaults[rule](masked)
}
