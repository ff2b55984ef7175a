// Reads a file with an audit policy (audit.k8s.io/v1 Policy).

import { type Fields, type ReadConfig, readConfig } from '#objects'
import { type AuditPolicy, type AuditResources, type AuditRule, auditLevels, auditStages } from './policy.ts'

export const readAuditPolicy = (text: string): ReadConfig<AuditPolicy> => readConfig(text, policyOf)

function policyOf(fields: Fields): AuditPolicy {
  fields.required('apiVersion', ['audit.k8s.io/v1'])
  fields.required('kind', ['Policy'])
  fields.raw('metadata')
  const rules = fields.objects('rules')
  if (rules?.length === 0 || !fields.has('rules')) fields.fault('rules', 'needs at least one, or nothing is kept')
  const policy = {
    rules: (rules ?? []).map(ruleOf),
    omitStages: stagesOf(fields),
    omitManagedFields: fields.flag('omitManagedFields') === true,
  }
  fields.end()
  return policy
}

const stagesOf = (fields: Fields) =>
  (fields.texts('omitStages', { allowed: auditStages }) ?? []) as AuditRule['omitStages']

function ruleOf(fields: Fields): AuditRule {
  const level = fields.required('level', auditLevels)
  const words = (name: string): readonly string[] => fields.texts(name, { mayBeEmpty: true }) ?? []
  const omitManagedFields = fields.flag('omitManagedFields')
  const rule: AuditRule = {
    level: auditLevels.find((one) => one === level) ?? 'None',
    users: words('users'),
    userGroups: words('userGroups'),
    verbs: words('verbs'),
    resources: (fields.objects('resources') ?? []).map(resourcesOf),
    namespaces: words('namespaces'),
    nonResourceURLs: words('nonResourceURLs'),
    omitStages: stagesOf(fields),
    ...(omitManagedFields === undefined ? {} : { omitManagedFields }),
  }
  fields.end()
  if (rule.nonResourceURLs.length > 0 && rule.resources.length + rule.namespaces.length > 0)
    fields.fault('nonResourceURLs', 'cannot stand in a rule that names resources or namespaces too')
  return rule
}

function resourcesOf(fields: Fields): AuditResources {
  const group = fields.raw('group') ?? ''
  if (typeof group !== 'string') fields.fault('group', 'must be a text')
  const resources = fields.texts('resources', { mayBeEmpty: true }) ?? []
  const resourceNames = fields.texts('resourceNames', { mayBeEmpty: true }) ?? []
  if (resourceNames.length > 0 && resources.length === 0)
    fields.fault('resourceNames', 'needs at least one of resources')
  fields.end()
  return { group: String(group), resources, resourceNames }
}
