// Stable text for what chance made: generated names become ordinals in the order of creation (`web-6d4f8-x2k9p` is
// `web-r1-p2`), nodes letters in the order in which they come into view, uids, pod and cluster addresses become placeholders. Commands may use the shown names.

import type { ApiHandler, ApiRequest, ApiResponse } from '#api'
import type { AnyObject } from '#objects'

/** What stands before the ordinal of a generated name. */
const letters: Readonly<Record<string, string>> = { Pod: 'p', EndpointSlice: 'e', Job: 'j', ReplicaSet: 'r' }
const nodeNames = [...'abcdefghijklmnopqrstuvwxyz'].map((letter) => `node-${letter}`)
const nameLike = /[a-z0-9]+(?:[-.][a-z0-9]+)*/g
const generated = /^(.+)-[bcdfghjklmnpqrstvwxz2456789]{5}$/
const uidLike = /[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/g

export class StableNames {
  readonly #shown = new Map<string, string>()
  /** `namespace/shown name` → the name in the cluster. */
  readonly #real = new Map<string, string>()
  /** `namespace/name` of what has its ordinal. */
  readonly #named = new Set<string>()
  readonly #counts = new Map<string, number>()

  /** Nodes that have no shown name yet. */
  #nodes: string[]

  /** As many letters as there are nodes. */
  readonly #nodeNames: readonly string[]

  constructor(nodes: readonly string[]) {
    this.#nodes = [...nodes]
    this.#nodeNames = nodeNames.slice(0, nodes.length)
  }

  /** Sees every creation on its way to the server. */
  readonly wrap =
    (next: ApiHandler): ApiHandler =>
    async (request, signal) => {
      const response = await next(request, signal)
      if (request.verb === 'create' && request.subresource === undefined) this.#take(request, response)
      return response
    }

  /** Shows `name` as something else, such as a commit by its number. */
  alias(name: string, shown: string): void {
    this.#shown.set(name, shown)
  }

  /** The text with shown names. */
  show(text: string): string {
    return text
      .replace(uidLike, '<uid>')
      .replace(/\b10\.244\.\d+\.\d+\b/g, '<pod IP>')
      .replace(/\b10\.96\.(?!0\.1\b|0\.10\b)\d+\.\d+\b/g, '<cluster IP>')
      .replace(nameLike, (name) => this.#shown.get(name) ?? this.#node(name) ?? this.#refused(name) ?? name)
  }

  // Equal nodes are called by the order in which they come into view: which pod went where is chance.
  #node(name: string): string | undefined {
    if (!this.#nodes.includes(name)) return undefined
    const shown = nodeNames.find((free) => !this.#real.has(`/${free}`)) ?? name
    this.#callNode(name, shown)
    return shown
  }

  #callNode(name: string, shown: string): void {
    this.#nodes = this.#nodes.filter((other) => other !== name)
    this.#shown.set(name, shown)
    this.#real.set(`/${shown}`, name)
  }

  /** A generated name that never came to be: what messages say of creations that were refused. */
  #refused(name: string): string | undefined {
    const base = generated.exec(name)?.[1]
    const shown = base === undefined ? undefined : this.#shown.get(base)
    return shown === undefined ? undefined : `${shown}-<new>`
  }

  /** The name in the cluster of what is shown as `name`. */
  real(namespace: string | undefined, name: string): string {
    const known = this.#real.get(`${namespace ?? ''}/${name}`)
    const [free] = this.#nodes
    if (known !== undefined || free === undefined || !this.#nodeNames.includes(name)) return known ?? name
    this.#callNode(free, name)
    return free
  }

  #take(request: ApiRequest, { status, body }: ApiResponse): void {
    if (status >= 300 || body.type !== 'object' || request.query?.['dryRun'] !== undefined) return
    const { object } = body
    const base = baseOf(object)
    const { name, namespace = '' } = object.metadata
    if (base === undefined || name === undefined || this.#named.has(`${namespace}/${name}`)) return
    const stem = `${this.show(base)}-${letters[object.kind ?? ''] ?? 'n'}`
    const count = (this.#counts.get(`${namespace}/${stem}`) ?? 0) + 1
    this.#counts.set(`${namespace}/${stem}`, count)
    this.#named.add(`${namespace}/${name}`)
    // Equal templates make equal names in several namespaces; the first one decides how they are shown.
    if (!this.#shown.has(name)) this.#shown.set(name, `${stem}${count}`)
    this.#real.set(`${namespace}/${stem}${count}`, name)
  }
}

/** What a generated name begins with; undefined for a name that somebody chose. */
function baseOf({ kind, metadata }: AnyObject): string | undefined {
  const { generateName, name = '', labels } = metadata
  // Pods of a StatefulSet carry a generateName too, and have names that somebody chose.
  if (generateName !== undefined) return generated.exec(name)?.[1]
  const hash = labels?.['pod-template-hash']
  return kind === 'ReplicaSet' && hash !== undefined && name.endsWith(`-${hash}`)
    ? name.slice(0, -hash.length - 1)
    : undefined
}
