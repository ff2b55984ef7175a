// What keys and values of labels may look like: qualified names, label values and the domains that they begin with. Each
// check lists the faults of a string, in the words of k8s.io/apimachinery/pkg/util/validation.

const qualifiedPart = '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]'
const label = '[a-z0-9]([-a-z0-9]*[a-z0-9])?'
const subdomain = `${label}(\\.${label})*`

const qualifiedPattern = new RegExp(`^${qualifiedPart}$`)
const valuePattern = new RegExp(`^(${qualifiedPart})?$`)
const subdomainPattern = new RegExp(`^${subdomain}$`)

const none: readonly string[] = []

export const maxLengthText = (length: number): string => `must be no more than ${length} characters`
export const nonEmptyText = 'must be non-empty'

/** `text (e.g. 'a',  or 'b', regex used for validation is '…')`. */
export function regexText(text: string, pattern: string, ...examples: readonly string[]): string {
  if (examples.length === 0) return `${text} (regex used for validation is '${pattern}')`
  return `${text} (e.g. ${examples.map((example) => `'${example}', `).join(' or ')}regex used for validation is '${pattern}')`
}

const qualifiedText = regexText(
  "must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character",
  qualifiedPart,
  'MyName',
  'my.name',
  '123-abc',
)

/** `name` or `prefix.example.com/name`: keys of labels and annotations, finalizers, resource names. */
export function qualifiedName(text: string): readonly string[] {
  const slash = text.indexOf('/')
  if (slash >= 0 && text.indexOf('/', slash + 1) >= 0)
    return [
      `a qualified name ${qualifiedText} with an optional DNS subdomain prefix and '/' (e.g. 'example.com/MyName')`,
    ]
  const name = slash < 0 ? text : text.slice(slash + 1)
  const faults: string[] = []
  if (slash === 0) faults.push(`prefix part ${nonEmptyText}`)
  else if (slash > 0) faults.push(...dnsSubdomain(text.slice(0, slash)).map((fault) => `prefix part ${fault}`))
  if (name === '') faults.push(`name part ${nonEmptyText}`)
  else if (name.length > 63) faults.push(`name part ${maxLengthText(63)}`)
  if (!qualifiedPattern.test(name)) faults.push(`name part ${qualifiedText}`)
  return faults.length === 0 ? none : faults
}

const labelValueText = regexText(
  "a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character",
  `(${qualifiedPart})?`,
  'MyValue',
  'my_value',
  '12345',
)

export function labelValue(text: string): readonly string[] {
  const faults: string[] = []
  if (text.length > 63) faults.push(maxLengthText(63))
  if (!valuePattern.test(text)) faults.push(labelValueText)
  return faults.length === 0 ? none : faults
}

const subdomainText = regexText(
  "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end with an alphanumeric character",
  subdomain,
  'example.com',
)

export function dnsSubdomain(text: string): readonly string[] {
  const faults: string[] = []
  if (text.length > 253) faults.push(maxLengthText(253))
  if (!subdomainPattern.test(text)) faults.push(subdomainText)
  return faults.length === 0 ? none : faults
}
