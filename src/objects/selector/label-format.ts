// What keys and values of labels may look like, with the texts of Kubernetes. Each check lists the faults of a string.

const qualifiedPart = '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]'
const characters =
  "consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character"
const keyText = `must ${characters} (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation is '${qualifiedPart}')`
const valueText = `a valid label must be an empty string or ${characters} (e.g. 'MyValue',  or 'my_value',  or '12345', regex used for validation is '(${qualifiedPart})?')`
const subdomain = '[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*'
const subdomainText = `a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end with an alphanumeric character (e.g. 'example.com', regex used for validation is '${subdomain}')`

const keyPattern = new RegExp(`^${qualifiedPart}$`)
const valuePattern = new RegExp(`^(${qualifiedPart})?$`)
const subdomainPattern = new RegExp(`^${subdomain}$`)

const tooLong = (length: number): string => `must be no more than ${length} characters`

/** Faults of `name` or `prefix/name`. */
export function labelKeyFaults(key: string): readonly string[] {
  const [first = '', second, more] = key.split('/')
  if (more !== undefined)
    return [`a qualified name ${keyText} with an optional DNS subdomain prefix and '/' (e.g. 'example.com/MyName')`]
  const faults: string[] = []
  const name = second ?? first
  if (second !== undefined && first === '') faults.push('prefix part must be non-empty')
  else if (second !== undefined) faults.push(...subdomainFaults(first).map((fault) => `prefix part ${fault}`))
  if (name === '') faults.push('name part must be non-empty')
  else if (name.length > 63) faults.push(`name part ${tooLong(63)}`)
  if (!keyPattern.test(name)) faults.push(`name part ${keyText}`)
  return faults
}

export function labelValueFaults(value: string): readonly string[] {
  const faults: string[] = []
  if (value.length > 63) faults.push(tooLong(63))
  if (!valuePattern.test(value)) faults.push(valueText)
  return faults
}

function subdomainFaults(text: string): readonly string[] {
  const faults: string[] = []
  if (text.length > 253) faults.push(tooLong(253))
  if (!subdomainPattern.test(text)) faults.push(subdomainText)
  return faults
}
