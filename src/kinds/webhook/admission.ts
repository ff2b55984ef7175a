// Admission webhooks, mutating and validating alike.

import { checkConditions } from '../admissionrule/conditions.ts'
import { requestEnvironment } from '../admissionrule/environment.ts'
import { failurePolicies, matchPolicies } from '../admissionrule/match.ts'
import { checkRule, ruleDefaults } from '../admissionrule/operations.ts'
import { duplicate, type FieldError, invalid, notSupported, required } from '../field-error.ts'
import type { MutatingWebhook, ValidatingWebhook } from '../generated/types.ts'
import type { Column } from '../kind.ts'
import { dnsSubdomain } from '../metadata/formats.ts'
import { checkSelector } from '../selector/validate.ts'
import { mapShared, withDefaults } from '../sharing.ts'
import { ageColumn, integer, nameColumn } from '../table/columns.ts'
import { checkClient, defaultServicePort } from './client.ts'
import { checkReviewVersions, reviewVersionsText } from './review-versions.ts'

type Webhook = ValidatingWebhook & Pick<MutatingWebhook, 'reinvocationPolicy'>

/** Conditions know what was asked, but no parameters. */
const conditionEnvironment = requestEnvironment({})

const sideEffectsWanted = ['None', 'NoneOnDryRun']
const reinvocationPolicies = ['IfNeeded', 'Never']
const [minTimeout, maxTimeout] = [1, 30]
const defaultTimeout = 10

export const webhooksDefaults = <T extends Webhook>(
  webhooks: readonly T[],
  others: (webhook: T) => Partial<T> = () => ({}),
): readonly T[] =>
  mapShared(webhooks, (webhook) =>
    withDefaults<T>(webhook, {
      failurePolicy: webhook.failurePolicy ?? 'Fail',
      matchPolicy: webhook.matchPolicy ?? 'Equivalent',
      namespaceSelector: webhook.namespaceSelector ?? {},
      objectSelector: webhook.objectSelector ?? {},
      timeoutSeconds: webhook.timeoutSeconds ?? defaultTimeout,
      rules: webhook.rules && ruleDefaults(webhook.rules),
      clientConfig: webhook.clientConfig && clientDefaults(webhook.clientConfig),
      ...others(webhook),
    }),
  )

type Client = Webhook['clientConfig']

const clientDefaults = (client: Client): Client =>
  withDefaults(client, {
    service: client.service && withDefaults(client.service, { port: client.service.port ?? defaultServicePort }),
  })

export function validateWebhooks(webhooks: readonly Webhook[]): readonly FieldError[] {
  const errors: FieldError[] = []
  const names = new Set<string>()
  webhooks.forEach((webhook, i) => {
    const path = `webhooks[${i}]`
    checkWebhook(webhook, path, errors)
    checkReviewVersions(webhook.admissionReviewVersions ?? [], reviewVersionsText, {
      path: `${path}.admissionReviewVersions`,
      errors,
    })
    if (webhook.name && names.has(webhook.name)) errors.push(duplicate(`${path}.name`, webhook.name))
    names.add(webhook.name)
  })
  return errors
}

function checkWebhook(webhook: Webhook, path: string, errors: FieldError[]): void {
  checkName(webhook.name ?? '', `${path}.name`, errors)
  webhook.rules?.forEach((rule, i) => {
    checkRule(rule, `${path}.rules[${i}]`, errors)
  })
  const { failurePolicy, matchPolicy, sideEffects, timeoutSeconds, reinvocationPolicy } = webhook
  const oneOf = (field: string, value: string | undefined, known: readonly string[]): void => {
    if (value !== undefined && !known.includes(value)) errors.push(notSupported(`${path}.${field}`, value, known))
  }
  oneOf('failurePolicy', failurePolicy, failurePolicies)
  oneOf('matchPolicy', matchPolicy, matchPolicies)
  if (sideEffects == null)
    errors.push(required(`${path}.sideEffects`, `must specify one of ${sideEffectsWanted.join(', ')}`))
  else oneOf('sideEffects', sideEffects, sideEffectsWanted)
  if (timeoutSeconds !== undefined && (timeoutSeconds > maxTimeout || timeoutSeconds < minTimeout))
    errors.push(invalid(`${path}.timeoutSeconds`, timeoutSeconds, 'the timeout value must be between 1 and 30 seconds'))
  checkSelector(webhook.namespaceSelector, `${path}.namespaceSelector`, errors)
  checkSelector(webhook.objectSelector, `${path}.objectSelector`, errors)
  oneOf('reinvocationPolicy', reinvocationPolicy, reinvocationPolicies)
  checkClient(webhook.clientConfig ?? {}, `${path}.clientConfig`, errors)
  checkConditions(webhook.matchConditions ?? [], {
    path: `${path}.matchConditions`,
    environment: conditionEnvironment,
    errors,
  })
}

function checkName(name: string, path: string, errors: FieldError[]): void {
  const faults = dnsSubdomain(name)
  if (name === '') errors.push(required(path))
  else if (faults.length > 0) errors.push(invalid(path, name, faults.join(',')))
  else if (name.split('.').length < 3)
    errors.push(invalid(path, name, 'should be a domain with at least three segments separated by dots'))
}

export const webhookColumns = <T>(webhooksOf: (object: T) => readonly unknown[]): readonly Column<T>[] => [
  nameColumn as Column<unknown> as Column<T>,
  integer(
    'Webhooks',
    'Webhooks indicates the number of webhooks registered in this configuration',
    (object) => webhooksOf(object).length,
  ),
  ageColumn as Column<unknown> as Column<T>,
]
