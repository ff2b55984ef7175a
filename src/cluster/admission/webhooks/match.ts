// Which webhooks want to see a request: by rule, by the labels of the namespace and of the object. Pure.

import { type MutatingWebhook, Namespace, type RuleWithOperations, type ValidatingWebhook } from '#kinds'
import { type AnyObject, matchesLabels } from '#objects'
import type { AdmissionRequest, AdmissionState } from '../plugin.ts'

export type Webhook = MutatingWebhook | ValidatingWebhook

const includes = (list: readonly string[] | undefined, value: string): boolean =>
  list?.some((entry) => entry === '*' || entry === value) === true

function matchesResource(list: readonly string[] | undefined, resource: string, subresource: string): boolean {
  return (list ?? []).some((entry) => {
    const [main = '', sub = ''] = entry.split('/')
    if (main !== '*' && main !== resource) return false
    return sub === '*' ? true : sub === subresource
  })
}

function matchesScope(scope: string | undefined, isNamespaced: boolean): boolean {
  if (scope === undefined || scope === '*') return true
  return (scope === 'Namespaced') === isNamespaced
}

const matchesRule = (rule: RuleWithOperations, request: AdmissionRequest): boolean =>
  includes(rule.operations, request.operation) &&
  includes(rule.apiGroups, request.resource.group) &&
  includes(rule.apiVersions, request.resource.version) &&
  matchesResource(rule.resources, request.resource.resource, request.subresource) &&
  matchesScope(rule.scope, request.namespace !== '')

const isEmpty = (selector: Webhook['namespaceSelector']): boolean =>
  selector === undefined ||
  (Object.keys(selector.matchLabels ?? {}).length === 0 && (selector.matchExpressions?.length ?? 0) === 0)

function matchesNamespace({ namespaceSelector }: Webhook, request: AdmissionRequest, state: AdmissionState): boolean {
  if (isEmpty(namespaceSelector)) return true
  if (request.kind.kind === 'Namespace' && request.kind.group === '') {
    const object = request.object ?? request.old
    return matchesLabels(namespaceSelector, object?.metadata.labels)
  }
  if (request.namespace === '') return true
  return matchesLabels(namespaceSelector, state.get(Namespace, '', request.namespace)?.metadata.labels)
}

function matchesObject(
  { objectSelector }: Webhook,
  object: AnyObject | undefined,
  old: AnyObject | undefined,
): boolean {
  if (isEmpty(objectSelector)) return true
  return [object, old].some((one) => one !== undefined && matchesLabels(objectSelector, one.metadata.labels))
}

/** `object` is the object as it stands now, which earlier webhooks may have changed. */
export function wants(
  webhook: Webhook,
  request: AdmissionRequest,
  object: AnyObject | undefined,
  state: AdmissionState,
): boolean {
  // Webhooks cannot stand in the way of those who would mend them.
  if (request.resource.group === 'admissionregistration.k8s.io') return false
  return (
    webhook.rules?.some((rule) => matchesRule(rule, request)) === true &&
    matchesNamespace(webhook, request, state) &&
    matchesObject(webhook, object, request.old)
  )
}
