// Whether pods can be created, tried by dry run: where they cannot, no loop can repair anything.

import { ApiError } from '#api'
import { Namespace, Pod } from '#kinds'
import type { Lab } from './lab.ts'

export interface Refusal {
  readonly namespace: string
  readonly message: string
}

export interface Trial {
  readonly namespaces: readonly string[]
  readonly refused: readonly Refusal[]
}

const podWith = (namespace: string, labels: Readonly<Record<string, string>>): Pod => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name: 'trial', namespace, labels },
  spec: { containers: [{ name: 'app', image: 'nginx:1.27' }] },
})

/** Tries it in one namespace, or in all. */
export async function tryCreation(
  lab: Lab,
  options: { readonly namespace?: string; readonly labels?: Readonly<Record<string, string>> } = {},
): Promise<Trial> {
  const { namespace, labels = {} } = options
  const all = (await lab.ask((client) => client.list(Namespace))).items.map(({ metadata }) => metadata.name ?? '')
  const namespaces = namespace === undefined ? all : [namespace]
  const refused: Refusal[] = []
  for (const name of namespaces) {
    try {
      await lab.ask((client) => client.create(Pod, podWith(name, labels), { dryRun: true }))
    } catch (error) {
      if (!(error instanceof ApiError)) throw error
      refused.push({ namespace: name, message: error.message })
    }
  }
  return { namespaces, refused }
}

/** `a=b,c=d`. */
export const parseLabels = (text: string | undefined): Readonly<Record<string, string>> =>
  Object.fromEntries(
    (text ?? '')
      .split(',')
      .filter((pair) => pair !== '')
      .map((pair) => {
        const [key = '', value = ''] = pair.split('=')
        return [key, value]
      }),
  )
