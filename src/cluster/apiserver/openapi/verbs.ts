// The verbs as documents tell of them: method, action, the codes of success, the words of an operation's name and text.

export interface Kind {
  readonly group: string
  readonly version: string
  readonly kind: string
}

/** What an operation is about: the kind that it takes, and the resource that it belongs to. */
export interface Subject {
  readonly kind: Kind
  readonly main: string
  readonly sub?: string
  readonly schema: string
}

export type Verb =
  | 'get'
  | 'list'
  | 'create'
  | 'update'
  | 'patch'
  | 'delete'
  | 'deletecollection'
  | 'watch'
  | 'watchlist'

interface VerbWords {
  readonly method: string
  readonly action: string
  /** First word of the operation's name. */
  readonly prefix: string
  readonly options: string
  readonly codes: readonly number[]
  says(kind: string, sub: string, isWatched: boolean): string
}

/** Plurals have no article. */
const article = (kind: string): string => (/[^s]s$/.test(kind) ? '' : /^[aeiou]/i.test(kind) ? 'an ' : 'a ')
const the = (kind: string, sub: string): string => `${sub === '' ? '' : `${sub} of `}the specified ${kind}`
const some = (kind: string, sub: string): string => `${sub === '' ? '' : `${sub} of `}${article(kind)}${kind}`
const deprecated = "deprecated: use the 'watch' parameter with a list operation instead"

export const verbs: Readonly<Record<Verb, VerbWords>> = {
  get: {
    method: 'get',
    action: 'get',
    prefix: 'read',
    options: '',
    codes: [200],
    says: (kind, sub) => `read ${the(kind, sub)}`,
  },
  list: {
    method: 'get',
    action: 'list',
    prefix: 'list',
    options: 'ListOptions',
    codes: [200],
    says: (kind, _sub, isWatched) => `list ${isWatched ? 'or watch ' : ''}objects of kind ${kind}`,
  },
  create: {
    method: 'post',
    action: 'post',
    prefix: 'create',
    options: 'CreateOptions',
    codes: [200, 201, 202],
    says: (kind, sub) => `create ${some(kind, sub)}`,
  },
  update: {
    method: 'put',
    action: 'put',
    prefix: 'replace',
    options: 'UpdateOptions',
    codes: [200, 201],
    says: (kind, sub) => `replace ${the(kind, sub)}`,
  },
  patch: {
    method: 'patch',
    action: 'patch',
    prefix: 'patch',
    options: 'PatchOptions',
    codes: [200, 201],
    says: (kind, sub) => `partially update ${the(kind, sub)}`,
  },
  delete: {
    method: 'delete',
    action: 'delete',
    prefix: 'delete',
    options: 'DeleteOptions',
    codes: [200, 202],
    says: (kind, sub) => `delete ${some(kind, sub)}`,
  },
  deletecollection: {
    method: 'delete',
    action: 'deletecollection',
    prefix: 'delete',
    options: '',
    codes: [200],
    says: (kind) => `delete collection of ${kind}`,
  },
  watch: {
    method: 'get',
    action: 'watch',
    prefix: 'watch',
    options: 'ListOptions',
    codes: [200],
    says: (kind) =>
      `watch changes to an object of kind ${kind}. ${deprecated}, filtered to a single item with the 'fieldSelector' parameter.`,
  },
  watchlist: {
    method: 'get',
    action: 'watchlist',
    prefix: 'watch',
    options: 'ListOptions',
    codes: [200],
    says: (kind) => `watch individual changes to a list of ${kind}. ${deprecated}.`,
  },
}

/** Letters and digits alone; what follows anything else begins with a capital. */
function word(text: string, capital: boolean): string {
  const joined = text.replace(/[^A-Za-z0-9]+(.?)/g, (_, next: string) => next.toUpperCase())
  return capital ? `${joined.charAt(0).toUpperCase()}${joined.slice(1)}` : joined
}

/** `core` and `v1` of /api/v1/…, `rbac.authorization` and `v1` of /apis/rbac.authorization.k8s.io/v1/…. */
function groupAndVersion(path: string): readonly string[] {
  const [root = '', ...rest] = path.replace(/^\/|\/$/g, '').split('/')
  if (root === 'api') return ['core', ...rest.slice(0, 1)]
  const [group, version] = rest
  if (root !== 'apis' || group === undefined) return []
  return [group.replace(/\.k8s\.io$/, ''), ...(version === undefined ? [] : [version])]
}

export function tagOf(path: string): string {
  const parts = groupAndVersion(path)
  if (parts.length > 0) return parts.map((part) => word(part, false)).join('_')
  return word(path.split('/')[1] ?? '', false)
}

/** `listAppsV1NamespacedDeployment`: group and version stand behind the first word. */
export const operationId = (path: string, prefix: string, rest: string): string =>
  `${prefix}${groupAndVersion(path)
    .map((part) => word(part, true))
    .join('')}${word(rest, true)}`
