// Reads a file with an audit policy (audit.k8s.io/v1 Policy), and names each fault with its field.

import { parseYaml, SyntaxFault } from '#objects'
import { type AuditPolicy, type AuditResources, type AuditRule, auditLevels, auditStages } from './policy.ts'

export interface ReadAuditPolicy {
  readonly policy?: AuditPolicy
  /** Each in one line. */
  readonly faults: readonly string[]
}

type Fields = Readonly<Record<string, unknown>>

const isFields = (value: unknown): value is Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

export function readAuditPolicy(text: string): ReadAuditPolicy {
  let document: unknown
  try {
    const { value, strictErrors } = parseYaml(text)
    if (strictErrors.length > 0) return { faults: strictErrors }
    document = value
  } catch (error) {
    if (error instanceof SyntaxFault) return { faults: [error.message] }
    throw error
  }
  const reader = new Reader()
  const policy = reader.policy(document)
  return reader.faults.length === 0 ? { policy, faults: [] } : { faults: reader.faults }
}

class Reader {
  readonly faults: string[] = []

  policy(document: unknown): AuditPolicy {
    const fields = isFields(document) ? document : {}
    if (fields['apiVersion'] !== 'audit.k8s.io/v1' || fields['kind'] !== 'Policy')
      this.faults.push('it is no Policy of audit.k8s.io/v1: check apiVersion and kind')
    this.#known(fields, '', ['apiVersion', 'kind', 'metadata', 'rules', 'omitStages', 'omitManagedFields'])
    const rules = fields['rules']
    if (!Array.isArray(rules) || rules.length === 0) this.faults.push('rules: give at least one, or nothing is kept')
    return {
      rules: (Array.isArray(rules) ? rules : []).map((rule, i) => this.#rule(rule, `rules[${i}]`)),
      omitStages: this.#words(fields, 'omitStages', auditStages),
      omitManagedFields: fields['omitManagedFields'] === true,
    }
  }

  #rule(value: unknown, path: string): AuditRule {
    const fields = isFields(value) ? value : {}
    const at = `${path}.`
    this.#known(fields, at, [
      ...['level', 'users', 'userGroups', 'verbs', 'resources', 'namespaces', 'nonResourceURLs'],
      ...['omitStages', 'omitManagedFields'],
    ])
    const level = auditLevels.find((one) => one === fields['level'])
    if (level === undefined) this.faults.push(`${at}level: use one of ${auditLevels.join(', ')}`)
    const groups = fields['resources']
    if (groups !== undefined && !Array.isArray(groups)) this.faults.push(`${at}resources: it must be a list`)
    const resources = (Array.isArray(groups) ? groups : []).map((one, i) =>
      this.#resources(one, `${at}resources[${i}]`),
    )
    const namespaces = this.#words(fields, `${at}namespaces`)
    const nonResourceURLs = this.#words(fields, `${at}nonResourceURLs`)
    if (nonResourceURLs.length > 0 && resources.length + namespaces.length > 0)
      this.faults.push(`${at}nonResourceURLs: rules cannot apply to both regular resources and non-resource URLs`)
    const managed = fields['omitManagedFields']
    return {
      level: level ?? 'None',
      users: this.#words(fields, `${at}users`),
      userGroups: this.#words(fields, `${at}userGroups`),
      verbs: this.#words(fields, `${at}verbs`),
      resources,
      namespaces,
      nonResourceURLs,
      omitStages: this.#words(fields, `${at}omitStages`, auditStages),
      ...(typeof managed === 'boolean' ? { omitManagedFields: managed } : {}),
    }
  }

  #resources(value: unknown, path: string): AuditResources {
    const fields = isFields(value) ? value : {}
    this.#known(fields, `${path}.`, ['group', 'resources', 'resourceNames'])
    const { group = '' } = fields
    if (typeof group !== 'string') this.faults.push(`${path}.group: it must be a text`)
    const resources = this.#words(fields, `${path}.resources`)
    const resourceNames = this.#words(fields, `${path}.resourceNames`)
    if (resourceNames.length > 0 && resources.length === 0)
      this.faults.push(`${path}.resourceNames: using resourceNames requires at least one resource`)
    return { group: String(group), resources, resourceNames }
  }

  /** A list of texts, of `allowed` ones if given; its field is the last part of `path`. */
  #words<T extends string = string>(fields: Fields, path: string, allowed?: readonly T[]): readonly T[] {
    const values = fields[path.slice(path.lastIndexOf('.') + 1)]
    if (values === undefined || values === null) return []
    if (!Array.isArray(values) || !values.every((value) => typeof value === 'string')) {
      this.faults.push(`${path}: it must be a list of texts`)
      return []
    }
    const wrong = allowed === undefined ? undefined : values.find((value) => !allowed.includes(value as T))
    if (wrong !== undefined) this.faults.push(`${path}: ${wrong} is none of ${allowed?.join(', ')}`)
    return values as T[]
  }

  #known(fields: Fields, prefix: string, names: readonly string[]): void {
    for (const name of Object.keys(fields))
      if (!names.includes(name)) this.faults.push(`${prefix}${name}: there is no such field`)
  }
}
