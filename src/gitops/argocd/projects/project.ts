// What an AppProject lets its applications do: read which repositories, write to which namespaces, and which kinds. Pure.

import { type ClusterEntry, resolveDestination } from '#gitops/destinations'
import { looseKey } from '#gitops/source'
import { type Application, type ApplicationSource, type AppProject, argocdNamespace, type GroupKindRule } from '#kinds'
import type { Finding } from '../application/conditions.ts'
import { sourceSet } from '../application/source-set.ts'
import { isGlobMatch } from './glob-match.ts'

/** What every project starts from: the project `default` allows everything. */
export const defaultProject: AppProject = {
  apiVersion: 'argoproj.io/v1alpha1',
  kind: 'AppProject',
  metadata: { name: 'default', namespace: argocdNamespace },
  spec: {
    sourceRepos: ['*'],
    destinations: [{ server: '*', namespace: '*' }],
    clusterResourceWhitelist: [{ group: '*', kind: '*' }],
  },
}

/** At least one pattern matches, and none with `!` before it does. */
function isAllowed<T>(
  rules: readonly T[],
  matches: (rule: T) => { readonly match: boolean; readonly deny: boolean },
): boolean {
  let allowed = false
  for (const rule of rules) {
    const { match, deny } = matches(rule)
    if (match && deny) return false
    allowed ||= match
  }
  return allowed
}

const withDeny = (pattern: string): { readonly pattern: string; readonly deny: boolean } =>
  pattern.startsWith('!') ? { pattern: pattern.slice(1), deny: true } : { pattern, deny: false }

export function mayRead(project: AppProject, url: string): boolean {
  return isAllowed(project.spec.sourceRepos ?? [], (rule) => {
    const { pattern, deny } = withDeny(rule)
    return { match: isGlobMatch(pattern, url) || looseKey(pattern) === looseKey(url), deny }
  })
}

/** A cluster with a namespace in it. */
export interface Place {
  readonly server: string
  readonly name: string
  readonly namespace: string
}

/** As Argo CD matches: by address or name, and `!` before a pattern allows what does not fit and forbids what does. */
export function mayWrite({ spec: { destinations = [] } }: AppProject, { server, name, namespace }: Place): boolean {
  const fits = (pattern: string | undefined, text: string): boolean => {
    const { pattern: bare, deny } = withDeny(pattern ?? '')
    return pattern !== undefined && isGlobMatch(bare, text) !== deny
  }
  const denies = (pattern: string | undefined): boolean => pattern?.startsWith('!') === true
  let allowed = false
  for (const rule of destinations) {
    const byName = fits(rule.name, name)
    const byServer = fits(rule.server, server)
    const inNamespace = fits(rule.namespace ?? '*', namespace)
    if ((byName || byServer) && inNamespace) allowed = true
    else if ((!byName && denies(rule.name)) || (!byServer && denies(rule.server) && inNamespace)) return false
    else if (!inNamespace && denies(rule.namespace) && (byServer || byName)) return false
  }
  return allowed
}

export interface ProjectResource {
  readonly group: string
  readonly kind: string
  readonly name: string
  readonly namespaced: boolean
}

export function mayManage(project: AppProject, resource: ProjectResource): boolean {
  const { spec } = project
  const isListed = (rules: readonly GroupKindRule[] | undefined): boolean =>
    rules?.some(
      (rule) =>
        isGlobMatch(rule.group, resource.group) &&
        isGlobMatch(rule.kind, resource.kind) &&
        (rule.name === undefined || rule.name === '' || isGlobMatch(rule.name, resource.name)),
    ) === true
  if (!resource.namespaced) return isListed(spec.clusterResourceWhitelist) && !isListed(spec.clusterResourceBlacklist)
  const whitelist = spec.namespaceResourceWhitelist
  return (whitelist === undefined || isListed(whitelist)) && !isListed(spec.namespaceResourceBlacklist)
}

/** Applications outside of argocd may only use projects that say so. */
const mayComeFrom = ({ spec: { sourceNamespaces = [] } }: AppProject, namespace: string): boolean =>
  namespace === argocdNamespace || sourceNamespaces.some((pattern) => isGlobMatch(pattern, namespace))

/** Why a project does not let its applications have an object, live or wanted, in Argo CD's words; undefined: it does. */
export function permissionFault(
  project: AppProject,
  cluster: ClusterEntry,
  resource: ProjectResource & { readonly namespace: string },
): string | undefined {
  const { group, kind, namespace, namespaced } = resource
  if (!mayManage(project, resource))
    return `resource ${group}:${kind} is not permitted in project ${project.metadata.name}.`
  if (!namespaced || isPermitted(project, cluster, namespace)) return undefined
  return `namespace ${namespace} is not permitted in project '${project.metadata.name}'`
}

/** What is wrong with an application's spec; nothing can be compared until it is mended. */
export function specFaults(
  app: Pick<Application, 'metadata' | 'spec'>,
  project: AppProject | undefined,
  clusters: readonly ClusterEntry[],
): readonly Finding[] {
  const invalid = (message: string): Finding => ({ type: 'InvalidSpecError', message })
  const { destination } = app.spec
  const name = app.spec.project
  if (project === undefined) return [invalid(`Application referencing project ${name} which does not exist`)]
  const { namespace = argocdNamespace } = app.metadata
  if (!mayComeFrom(project, namespace))
    return [
      invalid(
        `application '${app.metadata.name ?? ''}' in namespace '${namespace}' is not allowed to use project ${name}: its spec.sourceNamespaces must name the namespace`,
      ),
    ]
  const faults = (sourceSet(app.spec) ?? noSource).sources.flatMap((source, index, all) =>
    sourceFaults(project, source, all.length > 1 ? `spec.sources[${index}]` : 'spec.source').map(invalid),
  )
  const cluster = resolveDestination(clusters, destination)
  if (typeof cluster === 'string') faults.push(invalid(cluster))
  else if (!isPermitted(project, cluster, destination.namespace ?? ''))
    faults.push(
      invalid(
        `application destination server '${destination.name === undefined || destination.name === '' ? cluster.server : cluster.name}' and namespace '${destination.namespace ?? ''}' do not match any of the allowed destinations in project '${name}'`,
      ),
    )
  return faults
}

/** Where a project wants its own clusters alone, a cluster must say that it is of this project. */
export function isPermitted(project: AppProject, cluster: ClusterEntry, namespace: string): boolean {
  const { permitOnlyProjectScopedClusters: onlyOwn } = project.spec
  if (onlyOwn === true && cluster.project !== project.metadata.name) return false
  return mayWrite(project, { server: cluster.server, name: cluster.name, namespace })
}

const noSource = { sources: [{ repoURL: '' }] }

function sourceFaults(project: AppProject, source: ApplicationSource, field: string): readonly string[] {
  const { repoURL, chart = '', targetRevision = '' } = source
  if (repoURL === '') return [`${field}.repoURL and either ${field}.path or ${field}.chart are required`]
  const faults: string[] = []
  if (chart !== '' && targetRevision === '')
    faults.push(`${field}.targetRevision is required if the manifest source is a helm chart`)
  if (!mayRead(project, repoURL))
    faults.push(`application repo ${repoURL} is not permitted in project '${project.metadata.name ?? ''}'`)
  return faults
}
