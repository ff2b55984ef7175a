// How container runtimes word the four ways in which registries refuse a pull.

import type { PullError } from '#kinds'
import { type ImageReference, parseImage } from './image-reference.ts'

const begin = ({ full }: ImageReference): string =>
  `failed to pull and unpack image "${full}": failed to resolve reference "${full}": `

const urlOf = ({ host, repository, tag, digest }: ImageReference): string => {
  const server = host === 'docker.io' ? 'registry-1.docker.io' : host
  return `https://${server}/v2/${repository}/manifests/${tag ?? digest ?? 'latest'}`
}

const words: Readonly<Record<PullError, (image: ImageReference) => string>> = {
  notFound: (image) => `rpc error: code = NotFound desc = ${begin(image)}${image.full}: not found`,
  unauthorized: (image) =>
    image.host === 'docker.io'
      ? `${begin(image)}pull access denied, repository does not exist or may require authorization: server message: insufficient_scope: authorization failed`
      : `${begin(image)}unexpected status from HEAD request to ${urlOf(image)}: 401 Unauthorized`,
  unreachable: (image) =>
    `${begin(image)}failed to do request: Head "${urlOf(image)}": dial tcp 203.0.113.10:443: i/o timeout`,
  tooManyRequests: (image) =>
    `${begin(image)}unexpected status from HEAD request to ${urlOf(image)}: 429 Too Many Requests${
      image.host === 'docker.io'
        ? '\ntoomanyrequests: You have reached your unauthenticated pull rate limit. https://www.docker.com/increase-rate-limit'
        : ''
    }`,
}

/** How long it takes until the runtime gives up. */
export const failsAfterSeconds: Readonly<Record<PullError, number>> = {
  notFound: 0.35,
  unauthorized: 0.35,
  unreachable: 30,
  tooManyRequests: 0.35,
}

export function pullErrorText(error: PullError, image: string): string {
  const reference = parseImage(image)
  return reference === undefined ? `failed to pull image "${image}"` : words[error](reference)
}
