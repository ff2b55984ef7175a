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

const isHost = (text: string): boolean => text.includes('.') || text.includes(':') || text === 'localhost'

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
  const host = hasHost ? domainPart : 'docker.io'
  const rest = hasHost || domainPart === undefined ? path : `${domainPart}/${path}`
  const repository = host === 'docker.io' && !rest.includes('/') ? `library/${rest}` : rest
  const tag = tagPart ?? (digest === undefined ? 'latest' : undefined)
  const name = `${host}/${repository}`
  return { host, repository, tag, digest, full: digest === undefined ? `${name}:${tag}` : `${name}@${digest}` }
}

/** Why an image's name cannot be read. */
export function imageNameFault(image: string): string | undefined {
  if (parseImage(image) !== undefined) return undefined
  const lower = parseImage(image.toLowerCase())
  return lower === undefined
    ? 'invalid reference format'
    : `invalid reference format: repository name (${nameOf(image)}) must be lowercase`
}

function nameOf(image: string): string {
  const path = image.replace(/@.*$/, '').replace(/:[^/:]*$/, '')
  return path.includes('/') ? path : `library/${path}`
}
