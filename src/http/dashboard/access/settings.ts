// The ConfigMaps and the Secret of Argo CD that say who may come in, as they are at this moment. Absent ones are empty.

import { randomBytes } from 'node:crypto'
import { isAlreadyExists, isNotFound } from '#api'
import type { Client } from '#client'
import { argocdNamespace } from '#gitops'
import { AppProject, ConfigMap, type Kind, Secret } from '#kinds'
import type { KubeObject } from '#objects'

export const secretName = 'argocd-secret'
const secretRef = { namespace: argocdNamespace, name: secretName }
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
export async function readSecrets(client: Client): Promise<Texts> {
  const data = (await readIfThere(client, Secret, secretName))?.data ?? {}
  return Object.fromEntries(
    Object.entries(data).map(([field, value]) => [field, Buffer.from(value, 'base64').toString('utf8')]),
  )
}

/** Adds to argocd-secret; what else is in it stays. */
export async function writeSecrets(client: Client, values: Texts): Promise<void> {
  const data = Object.fromEntries(
    Object.entries(values).map(([field, value]) => [field, Buffer.from(value).toString('base64')]),
  )
  const metadata = {
    ...secretRef,
    labels: { 'app.kubernetes.io/name': secretName, 'app.kubernetes.io/part-of': 'argocd' },
  }
  try {
    await client.create(Secret, { apiVersion: 'v1', kind: 'Secret', metadata, type: 'Opaque', data })
  } catch (error) {
    if (!isAlreadyExists(error)) throw error
    await client.patch(Secret, secretRef, { data }, { type: 'application/merge-patch+json' })
  }
}

/** The key that signs tokens; undefined while there is none, and so no token that could be good. */
export async function readSigningKey(client: Client): Promise<Uint8Array | undefined> {
  const text = (await readSecrets(client))[keyField]
  return text === undefined || text === '' ? undefined : Buffer.from(text)
}

/** The same; one is drawn where there is none yet. */
export async function obtainSigningKey(client: Client): Promise<Uint8Array> {
  const known = await readSigningKey(client)
  if (known !== undefined) return known
  const text = randomBytes(keyBytes).toString('base64')
  await writeSecrets(client, { [keyField]: text })
  return Buffer.from(text)
}
