// What an AppProject lets its applications do: read which repositories, write to which namespaces, and which kinds. Pure.

import { looseKey } from '#gitops/source'
import type { Application, ApplicationSource, AppProject, GroupKindRule } from '#kinds'
import type { Finding } from './conditions.ts'
import { isGlobMatch } from './glob-match.ts'
import { builtInName, builtInServer } from './names.ts'
import { sourceSet } from './source-set.ts'

/** What every project starts from: the project `default` allows everything. */
export const defaultProjectSpec = {
  sourceRepos: ['*'],
  destinations: [{ server: '*', namespace: '*' }],
  clusterResourceWhitelist: [{ group: '*', kind: '*' }],
} as const

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

export function mayWrite(project: AppProject, destination: Application['spec']['destination']): boolean {
  const server = destination.server ?? (destination.name === builtInName ? builtInServer : '')
  const name = destination.name ?? (server === builtInServer ? builtInName : '')
  return isAllowed(project.spec.destinations ?? [], (rule) => {
    const denied = [rule.server, rule.name, rule.namespace].some((pattern) => pattern?.startsWith('!') === true)
    const fits = (pattern: string | undefined, text: string): boolean =>
      isGlobMatch(withDeny(pattern ?? '').pattern, text)
    const cluster =
      rule.server === undefined && rule.name !== undefined ? fits(rule.name, name) : fits(rule.server, server)
    return { match: cluster && fits(rule.namespace ?? '*', destination.namespace ?? ''), deny: denied }
  })
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

export const isBuiltInCluster = ({ server = '', name }: Application['spec']['destination']): boolean =>
  server === '' ? name === builtInName : server === builtInServer

/** What is wrong with an application's spec; nothing can be compared until it is mended. */
export function specFaults(app: Application, project: AppProject | undefined): readonly Finding[] {
  const invalid = (message: string): Finding => ({ type: 'InvalidSpecError', message })
  const { destination } = app.spec
  const name = app.spec.project
  if (project === undefined) return [invalid(`Application referencing project ${name} which does not exist`)]
  const faults = (sourceSet(app.spec) ?? noSource).sources.flatMap((source, index, all) =>
    sourceFaults(project, source, all.length > 1 ? `spec.sources[${index}]` : 'spec.source').map(invalid),
  )
  const { server, name: cluster } = destination
  if (!isBuiltInCluster(destination)) {
    faults.push(
      invalid(
        server === undefined && cluster === undefined
          ? 'Destination server missing from app spec'
          : `there is no cluster with this ${server === undefined || server === '' ? `name: ${cluster}` : `URL: ${server}`}`,
      ),
    )
  } else if (!mayWrite(project, destination)) {
    faults.push(
      invalid(
        `application destination server '${builtInServer}' and namespace '${destination.namespace ?? ''}' do not match any of the allowed destinations in project '${name}'`,
      ),
    )
  }
  return faults
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
