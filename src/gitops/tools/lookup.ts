// What a chart asks a cluster by `lookup`, and what it is told: values alone, so that whoever may read there answers, and
// whoever runs helm only hands over. Pure.

export interface LookupQuestion {
  /** `v1`, `apps/v1`. */
  readonly apiVersion: string
  readonly kind: string
  /** Empty: in all namespaces, or of a kind that has none. */
  readonly namespace: string
  /** Empty: all of them, as a list. */
  readonly name: string
}

export type LookupAnswer =
  | {
      readonly type: 'found'
      readonly object: object
      /** Another one for another state, and nothing of what is in the object. */
      readonly version: string
    }
  | { readonly type: 'absent' }
  | { readonly type: 'refused'; readonly reason: string }

/** What helm is told of a cluster in one run. */
export interface ClusterView {
  /** Such as `1.34.0`. */
  readonly kubeVersion: string
  /** `group/version` and `group/version/Kind`: what `.Capabilities` says. */
  readonly apiVersions: readonly string[]
  /** The same, of all that can be asked for. */
  readonly served: readonly string[]
  /** By `questionText`. */
  readonly answers: ReadonlyMap<string, LookupAnswer>
}

/** What a run asked: equal texts are equal questions. */
export const questionText = ({ apiVersion, kind, namespace, name }: LookupQuestion): string =>
  [apiVersion, kind, namespace, name].join(' ')

/** For people: `Secret shop/password`, `all Deployment of shop`. */
export function shownQuestion({ kind, namespace, name }: LookupQuestion): string {
  if (name === '') return namespace === '' ? `all ${kind} objects` : `all ${kind} objects of namespace ${namespace}`
  return `${kind} ${namespace === '' ? '' : `${namespace}/`}${name}`
}

export interface ApiKind {
  readonly group: string
  readonly version: string
  /** Empty: the version alone. */
  readonly kind: string
}

/** `v1`, `v1/Secret`, `apps/v1` or `apps/v1/Deployment`, as `.Capabilities.APIVersions` writes them. */
export function readApiVersion(text: string): ApiKind {
  const parts = text.split('/')
  const isVersion = (part: string | undefined): boolean => /^v\d/.test(part ?? '')
  const core = isVersion(parts[0]) && !isVersion(parts[1])
  const [group = '', version = '', kind = ''] = core ? ['', ...parts] : parts
  return { group, version, kind }
}
