// Repositories and clusters as Argo CD keeps them: labelled Secrets in its namespace, one field a value.

import { createHash } from 'node:crypto'
import { argocdNamespace, secretTypeLabel } from '#gitops'
import { Secret } from '#kinds'
import type { Context } from './context.ts'

export interface Described {
  readonly secret: Secret
  /** The fields as texts. */
  readonly fields: Readonly<Record<string, string>>
}

export async function describedSecrets({ client }: Context, type: string): Promise<readonly Described[]> {
  const { items } = await client.list(Secret, {
    namespace: argocdNamespace,
    labelSelector: `${secretTypeLabel}=${type}`,
  })
  return items.map((secret) => ({
    secret,
    fields: fieldsOf(secret),
  }))
}

/** The fields of a Secret as texts. */
export const fieldsOf = ({ data = {} }: Secret): Readonly<Record<string, string>> =>
  Object.fromEntries(Object.entries(data).map(([name, value]) => [name, Buffer.from(value, 'base64').toString('utf8')]))

export interface Description {
  readonly type: string
  /** Begins the name of the Secret. */
  readonly prefix: string
  /** What the rest of its name is made from. */
  readonly identity: string
  readonly fields: Readonly<Record<string, string | undefined>>
  readonly labels?: Readonly<Record<string, string>>
  readonly annotations?: Readonly<Record<string, string>>
}

const nameLength = 10

/** Writes what is known; fields without a value are left out. */
export async function writeDescription(
  { client }: Context,
  { type, prefix, identity, fields, labels, annotations }: Description,
  before: Secret | undefined,
): Promise<void> {
  const data = dataOf(fields)
  if (before !== undefined) {
    await client.update(Secret, { ...before, data: { ...before.data, ...data } })
    return
  }
  const name = `${prefix}-${createHash('sha256').update(identity).digest('hex').slice(0, nameLength)}`
  const metadata = {
    namespace: argocdNamespace,
    name,
    labels: { ...labels, [secretTypeLabel]: type },
    annotations: { ...annotations, 'managed-by': 'argocd.argoproj.io' },
  }
  await client.create(Secret, { apiVersion: 'v1', kind: 'Secret', metadata, type: 'Opaque', data })
}

const dataOf = (fields: Description['fields']): Readonly<Record<string, string>> =>
  Object.fromEntries(
    Object.entries(fields).flatMap(([name, value]) =>
      value === undefined || value === '' ? [] : [[name, Buffer.from(value).toString('base64')]],
    ),
  )

/** Writes these fields in the place of all others; labels and annotations stay where none are given. */
export async function replaceDescription(
  { client }: Context,
  before: Secret,
  { type, fields, labels, annotations }: Pick<Description, 'type' | 'fields' | 'labels' | 'annotations'>,
): Promise<void> {
  const metadata = {
    ...before.metadata,
    ...(labels === undefined ? {} : { labels: { ...labels, [secretTypeLabel]: type } }),
    ...(annotations === undefined ? {} : { annotations: { ...annotations, 'managed-by': 'argocd.argoproj.io' } }),
  }
  await client.update(Secret, { ...before, metadata, data: dataOf(fields) })
}
