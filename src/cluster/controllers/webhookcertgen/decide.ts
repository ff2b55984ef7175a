// What a container of the image kube-webhook-certgen does once it runs, read from its arguments. Its Job may be gone as soon
// as it has ended, so that its end is not waited for. Pure.

import type { Container, Pod } from '#kinds'

export type CertgenOrder =
  | {
      readonly type: 'create'
      readonly namespace: string
      readonly secret: string
      /** Keys of the certificate and its private key. */
      readonly keys: readonly [certificate: string, privateKey: string]
    }
  | {
      readonly type: 'patch'
      readonly namespace: string
      readonly secret: string
      readonly webhook: string
      readonly mutating: boolean
      readonly validating: boolean
    }

const imageName = '/kube-webhook-certgen'

export const isCertgen = ({ image }: Container): boolean => image?.includes(imageName) === true

export const hasBegun = ({ status }: Pod): boolean => status?.phase === 'Running' || status?.phase === 'Succeeded'

/** Undefined while there is nothing to do: another image, or not begun. */
export function orderOf(pod: Pod): CertgenOrder | undefined {
  if (!hasBegun(pod)) return undefined
  const { metadata, spec } = pod
  const container = spec.containers.find(isCertgen)
  if (container === undefined) return undefined
  const own = metadata.namespace ?? ''
  const words = [...(container.command ?? []), ...(container.args ?? [])]
  const flags = flagsOf(words)
  const given = flags.get('namespace') ?? ''
  const namespace = given === '' || given.startsWith('$(') ? own : given
  const secret = flags.get('secret-name')
  if (secret === undefined) return undefined
  if (words.includes('create'))
    return {
      type: 'create',
      namespace,
      secret,
      keys: [flags.get('cert-name') ?? 'cert', flags.get('key-name') ?? 'key'],
    }
  const webhook = flags.get('webhook-name')
  if (!words.includes('patch') || webhook === undefined) return undefined
  return {
    type: 'patch',
    namespace,
    secret,
    webhook,
    mutating: flags.get('patch-mutating') !== 'false',
    validating: flags.get('patch-validating') !== 'false',
  }
}

function flagsOf(words: readonly string[]): ReadonlyMap<string, string> {
  const flags = new Map<string, string>()
  words.forEach((word, i) => {
    const [, name = '', value] = /^--?([a-z-]+)(?:=(.*))?$/.exec(word) ?? []
    if (name !== '') flags.set(name, value ?? words[i + 1] ?? '')
  })
  return flags
}
