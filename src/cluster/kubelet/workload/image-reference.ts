// Names of images: whether they can be read, and how the runtime writes them out (`nginx` is
// `docker.io/library/nginx:latest`).

const component = '[a-z0-9]+(?:(?:\\.|_|__|-+)[a-z0-9]+)*'
const domain =
  '(?:[a-zA-Z0-9](?:[a-zA-Z0-9-]*[a-zA-Z0-9])?(?:\\.[a-zA-Z0-9](?:[a-zA-Z0-9-]*[a-zA-Z0-9])?)*|\\[[a-fA-F0-9:]+\\])(?::[0-9]+)?'
const pattern = new RegExp(
  `^(?:(${domain})/)?(${component}(?:/${component})*)(?::([\\w][\\w.-]{0,127}))?(?:@([A-Za-z][A-Za-z0-9]*(?:[-_+.][A-Za-z][A-Za-z0-9]*)*:[0-9a-fA-F]{32,}))?$`,
)

export interface ImageReference {
  readonly host: string
  readonly repository: string
  readonly tag: string | undefined
  readonly digest: string | undefined
  /** Written out in full. */
  readonly full: string
}

const isHost = (text: string): boolean =>
  text.includes('.') || text.includes(':') || text === 'localhost' || text.toLowerCase() !== text

const parsed = new Map<string, ImageReference | undefined>()
const limit = 5000

/** Undefined for what is not the name of an image. */
export function parseImage(image: string): ImageReference | undefined {
  const known = parsed.get(image)
  if (known !== undefined) return known
  const reference = parse(image)
  if (parsed.size >= limit) parsed.clear()
  parsed.set(image, reference)
  return reference
}

function parse(image: string): ImageReference | undefined {
  const match = pattern.exec(image)
  if (match === null) return undefined
  const [, domainPart, path = '', tagPart, digest] = match
  const hasHost = domainPart !== undefined && isHost(domainPart)
  const named = hasHost ? domainPart : 'docker.io'
  const host = named === 'index.docker.io' ? 'docker.io' : named
  const rest = hasHost || domainPart === undefined ? path : `${domainPart}/${path}`
  const repository = host === 'docker.io' && !rest.includes('/') ? `library/${rest}` : rest
  const tag = tagPart ?? (digest === undefined ? 'latest' : undefined)
  const name = `${host}/${repository}`
  return { host, repository, tag, digest, full: digest === undefined ? `${name}:${tag}` : `${name}@${digest}` }
}

const longestName = 255

/** Why an image's name cannot be read, in the words of the library that reads it (distribution/reference). */
export function imageNameFault(image: string): string | undefined {
  if (/^[a-f0-9]{64}$/.test(image))
    return `invalid repository name (${image}), cannot specify 64-byte hexadecimal strings`
  const { host, rest } = splitHost(image)
  const path = rest.split(':')[0] ?? ''
  if (path.toLowerCase() !== path) return `invalid reference format: repository name (${path}) must be lowercase`
  const reference = parseImage(image)
  if (reference === undefined) return 'invalid reference format'
  if (`${host}/${reference.repository}`.length > longestName)
    return `repository name must not be more than ${longestName} characters`
  return reference.digest === undefined ? undefined : digestFault(reference.digest)
}

const digestLengths: Readonly<Record<string, number>> = { sha256: 64, sha384: 96, sha512: 128 }

function digestFault(digest: string): string | undefined {
  const [algorithm = '', hex = ''] = digest.split(':')
  const length = digestLengths[algorithm]
  if (length === undefined) return 'unsupported digest algorithm'
  if (hex.length !== length) return 'invalid checksum digest length'
  return /^[a-f0-9]*$/.test(hex) ? undefined : 'invalid checksum digest format'
}

/** The registry that a name begins with, if it names one. */
function splitHost(image: string): { readonly host: string; readonly rest: string } {
  const slash = image.indexOf('/')
  const first = slash < 0 ? '' : image.slice(0, slash)
  if (slash >= 0 && isHost(first)) return { host: first, rest: image.slice(slash + 1) }
  return { host: 'docker.io', rest: slash < 0 ? `library/${image}` : image }
}
