// Kinds of custom resources that nothing in the repository defines, since something else brings them to the real cluster: taken
// to be there, without a schema.

import { ApiError } from '#api'
import type { Client } from '#client'
import type { ManagedState } from '#gitops'
import { CustomResourceDefinition } from '#kinds'

interface Wanted {
  readonly group: string
  readonly kind: string
  readonly versions: Set<string>
}

export class AssumedKinds {
  readonly #wanted = new Map<string, Wanted>()
  readonly #names: string[] = []

  /** `Gateway.gateway.networking.k8s.io` of those that were made. */
  get names(): readonly string[] {
    return [...this.#names].sort()
  }

  /** An object as an application wants it. One whose kind has come meanwhile is not missing any more. */
  note({ group, version, kind, served }: Pick<ManagedState, 'group' | 'version' | 'kind' | 'served'>): void {
    // What has no group would be Kubernetes' own.
    if (!group.includes('.')) return
    const id = `${kind}.${group}`
    if (served) {
      this.#wanted.delete(id)
      return
    }
    const wanted = this.#wanted.get(id) ?? { group, kind, versions: new Set<string>() }
    wanted.versions.add(version)
    this.#wanted.set(id, wanted)
  }

  /** Makes definitions of what is missing. False: there was nothing to make. */
  async define(ask: <T>(work: (client: Client) => Promise<T>) => Promise<T>): Promise<boolean> {
    const wanted = [...this.#wanted].sort(([a], [b]) => (a < b ? -1 : 1))
    this.#wanted.clear()
    let made = false
    for (const [id, each] of wanted) {
      try {
        await ask((client) =>
          client.create(CustomResourceDefinition, definitionOf(each), { fieldManager: 'homeostat' }),
        )
        this.#names.push(id)
        made = true
      } catch (error) {
        // What cannot be a kind at all is told by whoever wants it.
        if (!(error instanceof ApiError)) throw error
      }
    }
    return made
  }
}

/** By convention; where it is wrong, an object is shown in a namespace. */
const isClusterWide = (kind: string): boolean => kind.startsWith('Cluster') || kind.endsWith('Class')

function definitionOf({ group, kind, versions }: Wanted): CustomResourceDefinition {
  const plural = `${kind.toLowerCase()}s`
  const schema = { openAPIV3Schema: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true } }
  return {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: {
      name: `${plural}.${group}`,
      annotations: { 'api-approved.kubernetes.io': 'unapproved, taken to be there in a rehearsal' },
    },
    spec: {
      group,
      names: { kind, plural },
      scope: isClusterWide(kind) ? 'Cluster' : 'Namespaced',
      versions: [...versions].sort().map((name, index) => ({ name, served: true, storage: index === 0, schema })),
    },
  }
}
