import { describe, expect, it } from 'vitest'
import type { Pod, Secret } from '#kinds'
import type { Objects } from './environment.ts'
import { hasCredentials, missingSecretsText } from './pull-secrets.ts'

const base64 = (value: unknown): string => Buffer.from(JSON.stringify(value)).toString('base64')

const secret = (type: string, data: Record<string, string>): Secret => ({
  apiVersion: 'v1',
  kind: 'Secret',
  metadata: { name: 's', namespace: 'demo' },
  type,
  data,
})

const dockerConfig = (...registries: string[]): Secret =>
  secret('kubernetes.io/dockerconfigjson', {
    '.dockerconfigjson': base64({ auths: Object.fromEntries(registries.map((name) => [name, {}])) }),
  })

const pod = (...names: string[]): Pod => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name: 'p', namespace: 'demo' },
  spec: { containers: [], imagePullSecrets: names.map((name) => ({ name })) },
})

const having = (secrets: Readonly<Record<string, Secret>>): Objects => ({
  configMap: () => undefined,
  secret: (key) => secrets[key],
})

describe('credentials for registries', () => {
  it.each<[string, Secret, string, boolean]>([
    ['a host', dockerConfig('ghcr.io'), 'ghcr.io/acme/app:1', true],
    ['another host', dockerConfig('quay.io'), 'ghcr.io/acme/app:1', false],
    ['Docker Hub', dockerConfig('https://index.docker.io/v1/'), 'acme/app', true],
    ['a path', dockerConfig('ghcr.io/acme'), 'ghcr.io/acme/app', true],
    ['another path', dockerConfig('ghcr.io/ac'), 'ghcr.io/acme/app', false],
    ['a glob', dockerConfig('*.example.com'), 'eu.example.com/app', true],
    ['the old form', secret('kubernetes.io/dockercfg', { '.dockercfg': base64({ 'ghcr.io': {} }) }), 'ghcr.io/a', true],
    [
      'another type',
      secret('Opaque', { '.dockerconfigjson': base64({ auths: { 'ghcr.io': {} } }) }),
      'ghcr.io/a',
      false,
    ],
    ['no JSON', secret('kubernetes.io/dockerconfigjson', { '.dockerconfigjson': 'eA==' }), 'ghcr.io/a', false],
  ])('for %s', (_name, given, image, good) => {
    expect(hasCredentials(pod('s'), image, having({ 'demo/s': given }))).toBe(good)
  })

  it('are looked for in the namespace of the pod only', () => {
    const objects = having({ 'other/s': dockerConfig('ghcr.io') })
    expect(hasCredentials(pod('s'), 'ghcr.io/a', objects)).toBe(false)
    expect(missingSecretsText(pod('s', 't'), objects)).toBe(
      'Unable to retrieve some image pull secrets (s, t); attempting to pull the image may not succeed.',
    )
    expect(missingSecretsText(pod(), objects)).toBeUndefined()
  })
})
