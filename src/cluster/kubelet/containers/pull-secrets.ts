// Credentials for registries, from the imagePullSecrets of a pod: which of them are there, and whether one is good for an
// image (credentialprovider/secrets). Pure but for the lookup that is handed in.

import type { Pod, Secret } from '#kinds'
import { matchesGlob } from '#objects'
import { parseImage } from '../workload/image-reference.ts'
import type { Objects } from './environment.ts'

const namesOf = ({ spec }: Pod): readonly string[] =>
  (spec.imagePullSecrets ?? []).flatMap(({ name = '' }) => name || [])

const secretOf = ({ metadata }: Pod, name: string, objects: Objects): Secret | undefined =>
  objects.secret(`${metadata.namespace ?? ''}/${name}`)

/** The Event about secrets that the pod names and that are not there; undefined when all are. */
export function missingSecretsText(pod: Pod, objects: Objects): string | undefined {
  const missing = namesOf(pod).filter((name) => secretOf(pod, name, objects) === undefined)
  return missing.length === 0
    ? undefined
    : `Unable to retrieve some image pull secrets (${missing.join(', ')}); attempting to pull the image may not succeed.`
}

function parsed(base64: string | undefined): Readonly<Record<string, unknown>> {
  try {
    const value: unknown = JSON.parse(Buffer.from(base64 ?? '', 'base64').toString('utf8'))
    return typeof value === 'object' && value !== null ? (value as Readonly<Record<string, unknown>>) : {}
  } catch {
    return {}
  }
}

/** The registries that a secret has credentials for. */
function registriesOf({ type, data }: Secret): readonly string[] {
  if (type === 'kubernetes.io/dockerconfigjson') {
    const { auths } = parsed(data?.['.dockerconfigjson'])
    return typeof auths === 'object' && auths !== null ? Object.keys(auths) : []
  }
  return type === 'kubernetes.io/dockercfg' ? Object.keys(parsed(data?.['.dockercfg'])) : []
}

/** `https://index.docker.io/v1/`, `ghcr.io`, `*.example.com/team`. */
function isFor(registry: string, image: string): boolean {
  const reference = parseImage(image)
  if (reference === undefined) return false
  const [host = '', ...path] = registry
    .replace(/^https?:\/\//, '')
    .replace(/\/(v[12]\/?)?$/, '')
    .split('/')
  const known = host === 'index.docker.io' || host === 'registry-1.docker.io' ? 'docker.io' : host
  return (
    matchesGlob(known, reference.host) && `${reference.repository}/`.startsWith(path.map((part) => `${part}/`).join(''))
  )
}

export const hasCredentials = (pod: Pod, image: string, objects: Objects): boolean =>
  namesOf(pod).some((name) => {
    const secret = secretOf(pod, name, objects)
    return secret !== undefined && registriesOf(secret).some((registry) => isFor(registry, image))
  })
