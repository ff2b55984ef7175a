// What of which request is kept in the audit log (apiserver/pkg/audit/policy): the first rule that fits decides. Pure.

export const auditLevels = ['None', 'Metadata', 'Request', 'RequestResponse'] as const
export type AuditLevel = (typeof auditLevels)[number]

export const auditStages = ['RequestReceived', 'ResponseStarted', 'ResponseComplete', 'Panic'] as const
export type AuditStage = (typeof auditStages)[number]

export interface AuditResources {
  readonly group: string
  /** `pods`, `pods/log`, `*`, `*` + `/status`, `pods/*`; empty: all of the group. */
  readonly resources: readonly string[]
  readonly resourceNames: readonly string[]
}

/** What is empty restricts nothing. */
export interface AuditRule {
  readonly level: AuditLevel
  readonly users: readonly string[]
  readonly userGroups: readonly string[]
  readonly verbs: readonly string[]
  readonly resources: readonly AuditResources[]
  readonly namespaces: readonly string[]
  readonly nonResourceURLs: readonly string[]
  readonly omitStages: readonly AuditStage[]
  readonly omitManagedFields?: boolean
}

export interface AuditPolicy {
  readonly rules: readonly AuditRule[]
  readonly omitStages: readonly AuditStage[]
  readonly omitManagedFields: boolean
}

/** What is audited when nobody says: who did what, of every request. */
export const defaultAuditPolicy: AuditPolicy = {
  rules: [
    {
      level: 'Metadata',
      users: [],
      userGroups: [],
      verbs: [],
      resources: [],
      namespaces: [],
      nonResourceURLs: [],
      omitStages: [],
    },
  ],
  omitStages: ['RequestReceived'],
  omitManagedFields: false,
}

/** A request as rules look at it. */
export interface AuditedRequest {
  readonly user: string
  readonly groups: readonly string[]
  readonly verb: string
  readonly group: string
  /** Absent for paths. */
  readonly resource?: string
  readonly subresource: string
  readonly namespace: string
  readonly name: string
  readonly path: string
}

export interface AuditDecision {
  readonly level: AuditLevel
  readonly omitStages: readonly AuditStage[]
  readonly omitManagedFields: boolean
}

const nothing: AuditDecision = { level: 'None', omitStages: auditStages, omitManagedFields: false }

export function decideAudit(policy: AuditPolicy, request: AuditedRequest): AuditDecision {
  const rule = policy.rules.find((one) => fits(one, request))
  if (rule === undefined || rule.level === 'None') return nothing
  return {
    level: holdsSecrets(request) && !namesSecrets(rule, request) ? 'Metadata' : rule.level,
    omitStages: [...policy.omitStages, ...rule.omitStages],
    omitManagedFields: rule.omitManagedFields ?? policy.omitManagedFields,
  }
}

/** Bodies that nobody should find in a log because a rule says `everything`. */
const secretResources: readonly string[] = ['secrets', 'serviceaccounts/token', 'tokenreviews.authentication.k8s.io']

const fullName = ({ group, resource = '', subresource }: AuditedRequest): string =>
  `${resource}${group === '' ? '' : `.${group}`}${subresource === '' ? '' : `/${subresource}`}`

const holdsSecrets = (request: AuditedRequest): boolean => secretResources.includes(fullName(request))

function namesSecrets({ resources }: AuditRule, { group, resource = '', subresource }: AuditedRequest): boolean {
  const name = subresource === '' ? resource : `${resource}/${subresource}`
  return resources.some((one) => one.group === group && one.resources.includes(name))
}

const restricts = (values: readonly string[], holds: (value: string) => boolean): boolean =>
  values.length > 0 && !values.some(holds)

function fits(rule: AuditRule, request: AuditedRequest): boolean {
  if (restricts(rule.users, (user) => user === request.user)) return false
  if (restricts(rule.userGroups, (group) => request.groups.includes(group))) return false
  if (restricts(rule.verbs, (verb) => verb === request.verb)) return false
  if (rule.namespaces.length > 0 || rule.resources.length > 0) return fitsResource(rule, request)
  if (rule.nonResourceURLs.length === 0) return true
  return request.resource === undefined && rule.nonResourceURLs.some((url) => fitsUrl(url, request.path))
}

function fitsResource({ namespaces, resources }: AuditRule, request: AuditedRequest): boolean {
  if (request.resource === undefined) return false
  if (restricts(namespaces, (namespace) => namespace === request.namespace)) return false
  return resources.length === 0 || resources.some((one) => fitsGroup(one, request))
}

function fitsGroup(one: AuditResources, { group, resource = '', subresource, name }: AuditedRequest): boolean {
  if (one.group !== group) return false
  if (one.resources.length === 0) return true
  const full = subresource === '' ? resource : `${resource}/${subresource}`
  if (one.resourceNames.length > 0 && !one.resourceNames.includes(name)) return false
  return one.resources.some(
    (wanted) =>
      wanted === full ||
      wanted === '*' ||
      (subresource !== '' && (wanted === `*/${subresource}` || wanted === `${resource}/*`)),
  )
}

const fitsUrl = (url: string, path: string): boolean =>
  url === '*' || url === path || (url.endsWith('*') && path.startsWith(url.slice(0, -1)))
