// What the ConfigMap argocd-notifications-cm and its Secret say. A part that is wrong is told and left out; the others count.

import { createHash } from 'node:crypto'
import { parse } from 'yaml'
import { z } from 'zod'
import type { ConfigMap, Secret } from '#kinds'
import { type Json, parseLabelSelector, type Selector, SelectorError } from '#objects'
import { catalogueTemplates, catalogueTriggers } from './catalogue.ts'
import { ExpressionFault } from './expression/fault.ts'
import { parseExpression } from './expression/parser.ts'
import type { Expression } from './expression/syntax.ts'
import { serviceTypes } from './services/index.ts'
import { type Service, ServiceFault } from './services/service.ts'
import { optionalText, type Template, templateSchema } from './template.ts'

export interface Condition {
  /** Of the condition in the record of what was sent. */
  readonly key: string
  readonly when: Expression
  readonly oncePer: Expression | undefined
  readonly send: readonly string[]
  /** It may become true without a change of the application. */
  readonly asksTime: boolean
}

export interface GlobalSubscription {
  readonly recipients: readonly string[]
  readonly triggers: readonly string[]
  readonly selector: Selector
}

export interface NotificationsConfig {
  readonly triggers: ReadonlyMap<string, readonly Condition[]>
  readonly templates: ReadonlyMap<string, Template>
  readonly services: ReadonlyMap<string, Service>
  readonly subscriptions: readonly GlobalSubscription[]
  readonly defaultTriggers: readonly string[]
  readonly serviceDefaultTriggers: ReadonlyMap<string, readonly string[]>
  readonly context: Readonly<Record<string, string>>
  readonly secrets: Readonly<Record<string, string>>
  /** A template or a condition asks about commits. */
  readonly asksCommits: boolean
  /** What is wrong, for people. */
  readonly faults: readonly string[]
}

const texts = z.array(z.string())
const conditionSchema = z.object({
  when: z.union([z.string(), z.boolean()]).transform(String),
  send: texts,
  oncePer: optionalText,
})
const triggerSchema = z.union([z.array(conditionSchema), conditionSchema.transform((one) => [one])])
const subscriptionsSchema = z.array(
  z.object({
    recipients: texts,
    triggers: texts.nullish().transform((value) => value ?? []),
    selector: z
      .string()
      .nullish()
      .transform((value) => parseLabelSelector(value ?? '')),
  }),
)
const contextSchema = z.record(z.string(), z.union([z.string(), z.number(), z.boolean()]).transform(String))

export function readConfig(map: ConfigMap, secret: Secret | undefined, url: string | undefined): NotificationsConfig {
  const secrets = Object.fromEntries(
    Object.entries(secret?.data ?? {}).map(([key, value]) => [key, Buffer.from(value, 'base64').toString('utf8')]),
  )
  const faults: string[] = []
  const attempt = <T>(key: string, read: () => T): readonly T[] => {
    try {
      return [read()]
    } catch (error) {
      faults.push(`${key}: ${faultText(error)}`)
      return []
    }
  }
  const data = Object.entries(map.data ?? {})
  const one = <T>(key: string, schema: z.ZodType<T>, otherwise: T): T =>
    map.data?.[key] === undefined
      ? otherwise
      : (attempt(key, () => schema.parse(yaml(map.data?.[key] ?? '')))[0] ?? otherwise)
  const named = <T>(prefix: string, read: (name: string, value: Json) => T): ReadonlyMap<string, T> =>
    new Map(
      data.flatMap(([key, value]) => {
        const name = key.slice(prefix.length)
        return key.startsWith(prefix) ? attempt(key, () => [name, read(name, yaml(value))] as const) : []
      }),
    )
  const services = named('service.', (name, value) => serviceOf(name, withSecrets(value, secrets)))
  return {
    triggers: withCatalogue(
      catalogueTriggers,
      named('trigger.', (_name, value) => conditionsOf(value)),
      conditionsOf,
    ),
    templates: withCatalogue(
      catalogueTemplates,
      named('template.', (_name, value) => templateSchema.parse(value)),
      (value) => templateSchema.parse(value),
    ),
    services: new Map([...services].map(([name, service]) => [nameOf(name), service])),
    subscriptions: one('subscriptions', subscriptionsSchema, []),
    defaultTriggers: one('defaultTriggers', texts, []),
    serviceDefaultTriggers: named('defaultTriggers.', (_name, value) => texts.parse(value)),
    context: { ...(url === undefined ? {} : { argocdUrl: url }), ...one('context', contextSchema, {}) },
    secrets,
    asksCommits: data.some(([, value]) => value.includes('GetCommitMetadata')),
    faults,
  }
}

const yaml = (value: string): Json => parse(value, { version: '1.1' }) as Json

function withCatalogue<T>(
  catalogue: Readonly<Record<string, unknown>>,
  own: ReadonlyMap<string, T>,
  read: (value: Json) => T,
): ReadonlyMap<string, T> {
  return new Map([...Object.entries(catalogue).map(([name, value]) => [name, read(value as Json)] as const), ...own])
}

function conditionsOf(value: Json): readonly Condition[] {
  return triggerSchema.parse(value).map(({ when, oncePer, send }, index) => ({
    key: `[${index}].${createHash('sha1').update(when).digest('base64url')}`,
    when: parseExpression(when),
    oncePer: oncePer === undefined ? undefined : parseExpression(oncePer),
    send,
    asksTime: when.includes('time.Now'),
  }))
}

/** `slack` is of type slack, `slack.team` too and is called team. */
const nameOf = (key: string): string => (key.includes('.') ? key.slice(key.indexOf('.') + 1) : key)

function serviceOf(key: string, options: Json): Service {
  const type = key.split('.')[0] ?? ''
  const make = Object.hasOwn(serviceTypes, type) ? serviceTypes[type] : undefined
  if (make === undefined)
    throw new ServiceFault(`the service ${type} is not supported (${Object.keys(serviceTypes).join(', ')} are)`)
  return make(options)
}

/** `$key` in any text is the value of a key of the Secret, where there is one. */
function withSecrets(value: Json, secrets: Readonly<Record<string, string>>): Json {
  if (typeof value === 'string')
    return value.replace(/\$([-\w]+)/g, (whole, key: string) =>
      Object.hasOwn(secrets, key) ? (secrets[key] ?? '') : whole,
    )
  if (Array.isArray(value)) return value.map((item: Json) => withSecrets(item, secrets))
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, withSecrets(item, secrets)]))
}

function faultText(error: unknown): string {
  if (error instanceof z.ZodError) {
    const { path, message } = error.issues[0] ?? { path: [], message: '' }
    return path.length === 0 ? message : `${path.join('.')}: ${message}`
  }
  if (error instanceof ExpressionFault || error instanceof ServiceFault || error instanceof SelectorError)
    return error.message
  if (error instanceof Error && error.name.startsWith('YAML')) return error.message.split('\n')[0] ?? ''
  throw error
}
