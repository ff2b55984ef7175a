// What applications have looked up, so that a change of it wakes them: by kind, namespace and name. An application that looks
// nothing up is not in it, and as long as none does, a change costs one comparison.

import type { LookupQuestion } from '#gitops/tools'
import { groupOf, type KubeObject } from '#objects'

const none: readonly string[] = []

export class LookupWatch {
  readonly #byApp = new Map<string, Set<string>>()
  readonly #apps = new Map<string, Set<string>>()

  note(app: string, { apiVersion, kind, namespace, name }: LookupQuestion): void {
    const text = textOf({ group: groupOf(apiVersion), kind, namespace, name })
    this.#byApp.set(app, (this.#byApp.get(app) ?? new Set()).add(text))
    this.#apps.set(text, (this.#apps.get(text) ?? new Set()).add(app))
  }

  has(app: string): boolean {
    return this.#byApp.has(app)
  }

  /** A look begins, which asks for all that still counts. */
  forget(app: string): void {
    for (const text of this.#byApp.get(app) ?? none) {
      const apps = this.#apps.get(text)
      apps?.delete(app)
      if (apps?.size === 0) this.#apps.delete(text)
    }
    this.#byApp.delete(app)
  }

  /** Applications that have looked up an object, or a list that it is in. */
  concerned({ apiVersion, kind, metadata: { namespace = '', name = '' } }: KubeObject): Iterable<string> & object {
    if (this.#apps.size === 0) return none
    const group = groupOf(apiVersion)
    const found = new Set<string>()
    for (const place of [
      { namespace, name },
      { namespace, name: '' },
      { namespace: '', name: '' },
    ])
      for (const app of this.#apps.get(textOf({ group, kind, ...place })) ?? none) found.add(app)
    return found
  }
}

const textOf = (about: { readonly group: string } & Omit<LookupQuestion, 'apiVersion'>): string =>
  [about.group, about.kind, about.namespace, about.name].join(' ')
