// What Go's net/netip says of a text that is no address, or no network. Pure.

class AddressFault extends Error {}

const quote = (text: string): string => JSON.stringify(text)

/** Undefined for an address, with a zone or without. */
export function addressFault(text: string): string | undefined {
  try {
    check(text)
    return undefined
  } catch (error) {
    if (error instanceof AddressFault) return error.message
    throw error
  }
}

/** Undefined for a network: an address, a slash and how many bits. */
export function prefixFault(text: string): string | undefined {
  const refuse = (why: string): string => `netip.ParsePrefix(${quote(text)}): ${why}`
  const at = text.lastIndexOf('/')
  if (at < 0) return refuse("no '/'")
  const address = text.slice(0, at)
  const fault = addressFault(address)
  if (fault !== undefined) return refuse(fault)
  if (address.includes('%')) return refuse('IPv6 zones cannot be present in a prefix')
  const bits = text.slice(at + 1)
  if (!/^(\d|[1-9]\d{1,17})$/.test(bits)) return refuse(`bad bits after slash: ${quote(bits)}`)
  return Number(bits) > (address.includes(':') ? 128 : 32) ? refuse('prefix length out of range') : undefined
}

const fault = (whole: string, why: string, at?: string): AddressFault =>
  new AddressFault(`ParseAddr(${quote(whole)}): ${why}${at === undefined ? '' : ` (at ${quote(at)})`}`)

function check(text: string): void {
  const first = /[.:%]/.exec(text)?.[0]
  if (first === '.') checkFour(text, text)
  else if (first === ':') checkSix(text)
  else throw fault(text, first === '%' ? 'missing IPv6 address' : 'unable to parse IP')
}

const maxOctet = 255

/** `text` is `whole` or the end of it. */
function checkFour(whole: string, text: string): void {
  let value = 0
  let digits = 0
  let dots = 0
  for (let i = 0; i < text.length; i++) {
    const sign = text.charAt(i)
    if (sign >= '0' && sign <= '9') {
      if (digits === 1 && value === 0) throw fault(whole, 'IPv4 field has octet with leading zero')
      value = value * 10 + Number(sign)
      digits += 1
      if (value > maxOctet) throw fault(whole, 'IPv4 field has value >255')
    } else if (sign === '.') {
      if (i === 0 || i === text.length - 1 || text.charAt(i - 1) === '.')
        throw fault(whole, 'IPv4 field must have at least one digit', text.slice(i))
      if (dots === 3) throw fault(whole, 'IPv4 address too long')
      dots += 1
      value = 0
      digits = 0
    } else throw fault(whole, 'unexpected character', text.slice(i))
  }
  if (dots < 3) throw fault(whole, 'IPv4 address too short')
}

const length = 16
const maxDigits = 4

function checkSix(whole: string): void {
  const zone = whole.indexOf('%')
  if (zone === whole.length - 1) throw fault(whole, 'zone must be a non-empty string')
  let rest = zone < 0 ? whole : whole.slice(0, zone)
  let ellipsis = -1
  if (rest.startsWith('::')) {
    ellipsis = 0
    rest = rest.slice(2)
    if (rest === '') return
  }
  let i = 0
  while (i < length) {
    const digits = /^[0-9a-f]*/i.exec(rest)?.[0] ?? ''
    if (digits.length > maxDigits) throw fault(whole, 'each group must have 4 or less digits', rest)
    if (digits === '') throw fault(whole, 'each colon-separated field must have at least one digit', rest)
    if (rest.charAt(digits.length) === '.') {
      checkEmbedded(whole, { rest, i, isOpen: ellipsis >= 0 })
      rest = ''
      i += 4
      break
    }
    i += 2
    rest = rest.slice(digits.length)
    if (rest === '') break
    if (!rest.startsWith(':')) throw fault(whole, 'unexpected character, want colon', rest)
    if (rest === ':') throw fault(whole, 'colon must be followed by more characters', rest)
    rest = rest.slice(1)
    if (!rest.startsWith(':')) continue
    if (ellipsis >= 0) throw fault(whole, 'multiple :: in address', rest)
    ellipsis = i
    rest = rest.slice(1)
    if (rest === '') break
  }
  if (rest !== '') throw fault(whole, 'trailing garbage after address', rest)
  if (i < length && ellipsis < 0) throw fault(whole, 'address string too short')
  if (i >= length && ellipsis >= 0) throw fault(whole, 'the :: must expand to at least one field of zeros')
}

interface Embedded {
  readonly rest: string
  readonly i: number
  readonly isOpen: boolean
}

function checkEmbedded(whole: string, { rest, i, isOpen }: Embedded): void {
  if (!isOpen && i !== 12)
    throw fault(whole, 'embedded IPv4 address must replace the final 2 fields of the address', rest)
  if (i + 4 > length) throw fault(whole, 'too many hex fields to fit an embedded IPv4 at the end of the address', rest)
  checkFour(whole, rest)
}
