// The ConfigMaps and the Secret of Argo CD that say who may come in, as they are at this moment. Absent ones are empty.

import { randomBytes } from 'node:crypto'
import { isAlreadyExists, isConflict, isNotFound } from '#api'
import type { Client } from '#client'
import { argocdNamespace } from '#gitops'
import { AppProject, ConfigMap, type Kind, Secret } from '#kinds'
import type { KubeObject } from '#objects'

const secretName = 'argocd-secret'
const keyField = 'server.secretkey'
const keyBytes = 32

export type Texts = Readonly<Record<string, string>>

export async function readIfThere<T extends KubeObject>(
  client: Client,
  kind: Kind<T>,
  name: string,
): Promise<T | undefined> {
  try {
    return await client.get(kind, { namespace: argocdNamespace, name })
  } catch (error) {
    if (isNotFound(error)) return undefined
    throw error
  }
}

export const readConfig = async (client: Client, name: string): Promise<Texts> =>
  (await readIfThere(client, ConfigMap, name))?.data ?? {}

export const readProject = (client: Client, name: string): Promise<AppProject | undefined> =>
  readIfThere(client, AppProject, name)

/** The values of argocd-secret as texts. */
export const readSecrets = async (client: Client): Promise<Texts> =>
  textsIn(await readIfThere(client, Secret, secretName))

const textsIn = (secret: Secret | undefined): Texts =>
  Object.fromEntries(
    Object.entries(secret?.data ?? {}).map(([field, value]) => [field, Buffer.from(value, 'base64').toString('utf8')]),
  )

const triesMax = 10

/**
 * Adds to argocd-secret what `decide` makes of what is in it; all else stays. Decided again when somebody else wrote in
 * between, so that nothing of his is lost. Answers what is in it then.
 */
export async function changeSecrets(client: Client, decide: (known: Texts) => Texts): Promise<Texts> {
  for (let tries = 1; ; tries += 1) {
    const before = await readIfThere(client, Secret, secretName)
    const known = textsIn(before)
    const changes = decide(known)
    if (Object.keys(changes).length === 0) return known
    const data = { ...before?.data }
    for (const [field, value] of Object.entries(changes)) data[field] = Buffer.from(value).toString('base64')
    try {
      if (before === undefined) await client.create(Secret, { ...newSecret, data })
      else await client.update(Secret, { ...before, data })
      return { ...known, ...changes }
    } catch (error) {
      if ((!isConflict(error) && !isAlreadyExists(error)) || tries >= triesMax) throw error
    }
  }
}

const newSecret: Secret = {
  apiVersion: 'v1',
  kind: 'Secret',
  metadata: {
    namespace: argocdNamespace,
    name: secretName,
    labels: { 'app.kubernetes.io/name': secretName, 'app.kubernetes.io/part-of': 'argocd' },
  },
  type: 'Opaque',
}

/** The key that signs tokens; undefined while there is none, and so no token that could be good. */
export async function readSigningKey(client: Client): Promise<Uint8Array | undefined> {
  const text = (await readSecrets(client))[keyField] ?? ''
  return text === '' ? undefined : Buffer.from(text)
}

/** The same; one is drawn where there is none yet. */
export async function obtainSigningKey(client: Client): Promise<Uint8Array> {
  const drawn = randomBytes(keyBytes).toString('base64')
  const secrets = await changeSecrets(client, (known) => ((known[keyField] ?? '') === '' ? { [keyField]: drawn } : {}))
  return Buffer.from(secrets[keyField] ?? drawn)
}
