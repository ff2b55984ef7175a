// The string formats that Kubernetes checks (k8s.io/kube-openapi/pkg/validation/strfmt), by their names without dashes.
// Formats that are not listed take every string.

const octet = '(25[0-5]|2[0-4]\\d|1?\\d?\\d)'
const ipv4 = new RegExp(`^${octet}(\\.${octet}){3}$`)
const hostname =
  /^([a-zA-Z0-9\p{S}\p{L}]((-?[a-zA-Z0-9\p{S}\p{L}]{0,62})?)|([a-zA-Z0-9\p{S}\p{L}](([a-zA-Z0-9-\p{S}\p{L}]{0,61}[a-zA-Z0-9\p{S}\p{L}])?)(\.)){1,}([a-zA-Z\p{L}]){2,63})$/u
const uuid = (version: string): RegExp =>
  new RegExp(`^[0-9a-f]{8}-?[0-9a-f]{4}-?${version}[0-9a-f]{3}-?[0-9a-f]{4}-?[0-9a-f]{12}$`, 'i')
const dateTime = /^\d{4}-\d\d-\d\d[Tt ]([01]\d|2[0-3]):[0-5]\d:[0-5]\d(\.\d+)?([Zz]|[+-]\d\d:\d\d)?$/
const goDuration = /^[+-]?(\d+(\.\d*)?|\.\d+)(ns|us|µs|ms|s|m|h)((\d+(\.\d*)?|\.\d+)(ns|us|µs|ms|s|m|h))*$|^0$/
const wordDuration =
  /^(\d+)\s*(ns|us|µs|ms|s|sec|secs|second|seconds|m|min|mins|minute|minutes|h|hr|hrs|hour|hours|d|day|days|w|week|weeks)$/i

function isIpv6(text: string): boolean {
  const halves = text.split('::')
  if (halves.length > 2) return false
  const parts = halves.flatMap((half) => (half === '' ? [] : half.split(':')))
  const last = parts.at(-1) ?? ''
  const tail = last.includes('.') ? (ipv4.test(last) ? 2 : -100) : 0
  const groups = tail === 2 ? parts.slice(0, -1) : parts
  const count = groups.length + tail
  return (
    text.includes(':') &&
    groups.every((part) => /^[0-9a-f]{1,4}$/i.test(part)) &&
    (halves.length === 2 ? count < 8 : count === 8)
  )
}

function isCidr(text: string): boolean {
  const [address = '', length = ''] = text.split('/')
  if (!/^\d{1,3}$/.test(length)) return false
  return ipv4.test(address) ? Number(length) <= 32 : isIpv6(address) && Number(length) <= 128
}

function isUri(text: string): boolean {
  if (/^[a-z][a-z0-9+.-]*:/i.test(text)) return URL.canParse(text)
  return text.startsWith('/')
}

const isBase64 = (text: string): boolean => /^([A-Za-z0-9+/]{4})*([A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/.test(text)

const isDate = (text: string): boolean =>
  /^\d{4}-\d\d-\d\d$/.test(text) && !Number.isNaN(Date.parse(`${text}T00:00:00Z`))

export const formatChecks: Readonly<Record<string, (text: string) => boolean>> = {
  bsonobjectid: (text) => /^[0-9a-f]{24}$/i.test(text),
  uri: isUri,
  email: (text) => /^[^\s@<>]+@[^\s@<>]+$/.test(text),
  hostname: (text) => text.length <= 253 && hostname.test(text),
  ipv4: (text) => ipv4.test(text),
  ipv6: isIpv6,
  cidr: isCidr,
  mac: (text) => /^([0-9a-f]{2}[:-]){5,7}[0-9a-f]{2}$/i.test(text),
  uuid: (text) => uuid('[0-9a-f]').test(text),
  uuid3: (text) => uuid('3').test(text),
  uuid4: (text) => uuid('4').test(text),
  uuid5: (text) => uuid('5').test(text),
  hexcolor: (text) => /^#?([0-9a-f]{3}|[0-9a-f]{6})$/i.test(text),
  rgbcolor: (text) => /^rgb\(\s*\d{1,3}\s*,\s*\d{1,3}\s*,\s*\d{1,3}\s*\)$/.test(text),
  byte: isBase64,
  date: isDate,
  datetime: (text) => dateTime.test(text) && !Number.isNaN(Date.parse(text.replace(' ', 'T'))),
  duration: (text) => goDuration.test(text) || wordDuration.test(text),
}
