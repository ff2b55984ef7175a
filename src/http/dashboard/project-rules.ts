// What a project must be like before it is stored through the REST interface: its roles and their policies. A policy of a
// role may speak of that role and of its project only, or projects could hand out rights over others. Pure.

import type { AppProject, ProjectRole } from '#kinds'
import { projectSubject } from './access/rights.ts'
import { RestError } from './rest-error.ts'

const roleName = /^[a-zA-Z0-9]([-_a-zA-Z0-9]*[a-zA-Z0-9])?$/
const resources = ['applications', 'applicationsets', 'repositories', 'clusters', 'logs', 'exec', 'projects']
const actions = ['get', 'create', 'update', 'delete', 'sync', 'rollback', 'override', '*']
const actionsWithPath = ['action/', 'update/', 'delete/']

/** Throws RestError. */
export function mustBeProject(project: AppProject): void {
  const { roles = [] } = project.spec
  const seen = new Set<string>()
  for (const role of roles) {
    if (!roleName.test(role.name))
      throw invalid(
        `invalid role name '${role.name}': it must consist of alphanumeric characters, '-' or '_', and start and end with an alphanumeric character`,
      )
    if (seen.has(role.name)) throw new RestError('alreadyExists', `role '${role.name}' already exists`)
    seen.add(role.name)
    mustBeRole(project.metadata.name ?? '', role)
  }
}

function mustBeRole(project: string, { name, policies = [], groups = [] }: ProjectRole): void {
  for (const policy of policies) {
    const fault = policyFault(policy, project, name)
    if (fault !== undefined) throw invalid(`invalid policy rule '${policy}': ${fault}`)
  }
  for (const group of groups)
    if (group.trim() === '' || /[,\n\r\t]/.test(group))
      throw invalid(`group '${group}' of role '${name}' must not be empty, and contain no comma, tab or line break`)
  if (new Set(policies.map((policy) => policy.replaceAll(' ', ''))).size < policies.length)
    throw new RestError('alreadyExists', `a policy of role '${name}' stands there twice`)
}

function policyFault(policy: string, project: string, role: string): string | undefined {
  const [type, subject = '', resource = '', action = '', object = '', effect, ...more] = policy
    .split(',')
    .map((field) => field.trim())
  if (type !== 'p' || effect === undefined || more.length > 0 || /[\n\r]/.test(policy))
    return "must be of the form: 'p, sub, res, act, obj, eft'"
  const expected = projectSubject(project, role)
  if (subject !== expected) return `policy subject must be: '${expected}', not '${subject}'`
  if (!resources.includes(resource))
    return `project resource must be one of: ${resources.join(', ')}, not '${resource}'`
  if (!actions.includes(action) && !actionsWithPath.some((start) => action.startsWith(start)))
    return `invalid action '${action}'`
  const isOwn = resource === 'projects' ? object === project : object.startsWith(`${project}/`)
  if (!isOwn)
    return `object must be of form '${project}/*', '${project}[/<NAMESPACE>]/<APPNAME>' or '${project}/<APPNAME>', not '${object}'`
  return effect === 'allow' || effect === 'deny' ? undefined : "effect must be: 'allow' or 'deny'"
}

const invalid = (message: string): RestError => new RestError('invalidArgument', message)
