// What somebody may do, by the ConfigMap argocd-rbac-cm, the built-in roles and the roles of projects. Made for one request:
// what it has read stays as it was until the request is over.

import { parse } from 'yaml'
import type { Client } from '#client'
import { RecentMap } from '#gitops/source'
import type { AppProject } from '#kinds'
import { RestError } from '../rest-error.ts'
import { builtInPolicy } from './built-in-policy.ts'
import {
  isAllowed,
  type MatchMode,
  noPolicy,
  type Policy,
  PolicyFault,
  type Question,
  readPolicy,
  together,
} from './policy.ts'
import { readConfig, readProject, type Texts } from './settings.ts'

export const policyConfigName = 'argocd-rbac-cm'

/** Who asks: the name that rules are for, and what else is known of him (`groups`, `email`, …). */
export interface Subject {
  readonly name: string
  readonly claims: Readonly<Record<string, unknown>>
}

interface Ruling {
  readonly policy: Policy
  readonly mode: MatchMode
  /** What everybody who is known may do at least. Empty: nothing. */
  readonly defaultRole: string
  readonly scopes: readonly string[]
}

export class Rights {
  readonly #client: Client
  #ruling: Promise<Ruling> | undefined
  readonly #projects = new Map<string, Promise<Policy | undefined>>()

  constructor(client: Client) {
    this.#client = client
  }

  async allow(subject: Subject, question: Question): Promise<boolean> {
    this.#ruling ??= readConfig(this.#client, policyConfigName).then(rulingOf)
    const { policy, defaultRole, scopes } = await this.#ruling
    if (defaultRole !== '' && isAllowed(policy, defaultRole, question)) return true
    const project = projectIn(question)
    const own = project === undefined ? undefined : await this.#policyOf(project)
    const role = projectRole(subject.name)
    // A token of one project says nothing in another.
    if (own !== undefined && role !== undefined && role.project !== project) return false
    const whole = own === undefined ? policy : together(policy, own)
    return [subject.name, ...groupsOf(subject, scopes)].some((name) => isAllowed(whole, name, question))
  }

  /** The scopes whose values count as groups. */
  async groups(subject: Subject): Promise<readonly string[]> {
    this.#ruling ??= readConfig(this.#client, policyConfigName).then(rulingOf)
    return groupsOf(subject, (await this.#ruling).scopes)
  }

  #policyOf(name: string): Promise<Policy | undefined> {
    const known = this.#projects.get(name)
    if (known !== undefined) return known
    const read = readProject(this.#client, name).then((project) =>
      project === undefined ? undefined : this.#projectPolicy(project),
    )
    this.#projects.set(name, read)
    return read
  }

  /** A project whose policies cannot be understood grants nothing of its own. */
  async #projectPolicy(project: AppProject): Promise<Policy> {
    const { mode } = (await this.#ruling) ?? { mode: 'glob' as const }
    try {
      return policyFrom(projectPolicyText(project), mode)
    } catch (error) {
      if (error instanceof PolicyFault) return noPolicy
      throw error
    }
  }
}

/** Texts are read again and again, by every request with a token. */
const policies = new RecentMap<Policy>(500)

/** Throws PolicyFault. */
function policyFrom(text: string, mode: MatchMode): Policy {
  const key = `${mode} ${text}`
  const known = policies.get(key)
  if (known !== undefined) return known
  const made = readPolicy(text, mode)
  policies.set(key, made)
  return made
}

function rulingOf(config: Texts): Ruling {
  const mode = config['policy.matchMode'] === 'regex' ? 'regex' : 'glob'
  try {
    return {
      policy: together(builtInPolicy, policyFrom(policyText(config), mode)),
      mode,
      defaultRole: config['policy.default'] ?? '',
      scopes: scopesIn(config['scopes']),
    }
  } catch (error) {
    if (!(error instanceof PolicyFault)) throw error
    throw new RestError(
      'permissionDenied',
      `permission denied: the policy of the ConfigMap argocd/${policyConfigName} cannot be read: ${error.message}`,
    )
  }
}

/** `policy.csv`, and then all `policy.….csv` by name. */
export function policyText(config: Texts): string {
  const isMore = (key: string): boolean => key.startsWith('policy.') && key.endsWith('.csv') && key !== 'policy.csv'
  const more = Object.keys(config).filter(isMore).sort()
  return ['policy.csv', ...more].map((key) => config[key] ?? '').join('\n')
}

const defaultScopes = ['groups']

function scopesIn(text: string | undefined): readonly string[] {
  if (text === undefined || text.trim() === '') return defaultScopes
  let value: unknown
  try {
    value = parse(text)
  } catch {
    return defaultScopes
  }
  const scopes = (Array.isArray(value) ? value : [value]).filter((each): each is string => typeof each === 'string')
  return scopes.length === 0 ? defaultScopes : scopes
}

function groupsOf({ claims }: Subject, scopes: readonly string[]): readonly string[] {
  return scopes.flatMap((scope) => {
    const value = claims[scope]
    if (typeof value === 'string') return [value]
    return Array.isArray(value) ? value.filter((each): each is string => typeof each === 'string') : []
  })
}

const ofProjects = ['applications', 'applicationsets', 'repositories', 'clusters', 'logs', 'exec']

function projectIn({ resource, object }: Question): string | undefined {
  if (resource === 'projects') return object
  const slash = object.indexOf('/')
  return ofProjects.includes(resource) && slash > 0 ? object.slice(0, slash) : undefined
}

/** Of the subject `proj:PROJECT:ROLE`, which tokens of projects have. */
export function projectRole(subject: string): { readonly project: string; readonly role: string } | undefined {
  const [type, project, role, ...rest] = subject.split(':')
  return type === 'proj' && project !== undefined && role !== undefined && rest.length === 0
    ? { project, role }
    : undefined
}

export const projectSubject = (project: string, role: string): string => `proj:${project}:${role}`

/** The roles of a project as lines of a policy: each may look at its project, and has its groups. */
export function projectPolicyText({ metadata, spec }: AppProject): string {
  const project = metadata.name ?? ''
  return (spec.roles ?? [])
    .flatMap(({ name, policies: own = [], groups = [] }) => [
      `p, ${projectSubject(project, name)}, projects, get, ${project}, allow`,
      ...own,
      ...groups.map((group) => `g, "${group.replaceAll('"', '""')}", ${projectSubject(project, name)}`),
    ])
    .join('\n')
}
