// Who a certificate request (PKCS #10) is about: as much of its DER as leads to the subject's common name and
// organizations. Pure.

export interface RequestedSubject {
  readonly commonName: string
  readonly organizations: readonly string[]
}

interface Element {
  readonly tag: number
  readonly content: Uint8Array
}

const sequence = 0x30
const set = 0x31
const objectIdentifier = 0x06
/** Object identifiers 2.5.4.3 and 2.5.4.10, as they are encoded. */
const commonNameId = '550403'
const organizationId = '55040a'
const pem = /-----BEGIN CERTIFICATE REQUEST-----([A-Za-z0-9+/=\s]+)-----END CERTIFICATE REQUEST-----/

/** `request` is the base64 of a PEM, as it stands in spec.request. Undefined for what is no certificate request. */
export function requestedSubject(request: string): RequestedSubject | undefined {
  const body = pem.exec(Buffer.from(request, 'base64').toString('latin1'))?.[1]
  if (body === undefined) return undefined
  const [whole] = elementsOf(Buffer.from(body, 'base64'))
  const [asked] = insideOf(whole, sequence)
  // A version, then the subject.
  const [, subject] = insideOf(asked, sequence)
  if (subject?.tag !== sequence) return undefined
  const named = insideOf(subject, sequence)
    .flatMap((names) => insideOf(names, set))
    .map((name) => insideOf(name, sequence))
  const valuesOf = (id: string): readonly string[] =>
    named.flatMap(([type, value]) =>
      type?.tag === objectIdentifier && value !== undefined && Buffer.from(type.content).toString('hex') === id
        ? [Buffer.from(value.content).toString('utf8')]
        : [],
    )
  return { commonName: valuesOf(commonNameId).at(-1) ?? '', organizations: valuesOf(organizationId) }
}

const insideOf = (element: Element | undefined, tag: number): readonly Element[] =>
  element?.tag === tag ? elementsOf(element.content) : []

/** The elements that stand one after the other; those before the first that is cut off. */
function elementsOf(bytes: Uint8Array): readonly Element[] {
  const found: Element[] = []
  let at = 0
  while (at + 2 <= bytes.length) {
    const tag = bytes[at] ?? 0
    const first = bytes[at + 1] ?? 0
    const lengthBytes = first < 0x80 ? 0 : first - 0x80
    const start = at + 2 + lengthBytes
    const length = lengthBytes === 0 ? first : lengthOf(bytes.subarray(at + 2, start))
    if (start + length > bytes.length) break
    found.push({ tag, content: bytes.subarray(start, start + length) })
    at = start + length
  }
  return found
}

const lengthOf = (bytes: Uint8Array): number => bytes.reduce((length, byte) => length * 256 + byte, 0)
