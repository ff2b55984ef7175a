// Tells the outside what becomes of applications: asks every condition that somebody subscribed to, sends what is due, and
// notes on the application what was sent. What cannot be sent is tried again, later and later, and told in an Event.
// Reads: Applications, AppProjects, the ConfigMap and the Secret of notifications, repositories.
// Writes: an annotation of Applications; Events; to services outside.

import { isNotFound } from '#api'
import type { WebClient } from '#gitops/web'
import { Application, AppProject, argocdNamespace, ConfigMap, Secret } from '#kinds'
import { isEqual, objectKey, parseTime } from '#objects'
import {
  type Cache,
  done,
  isTerminating,
  type Kit,
  type LoopDefinition,
  type Outcome,
  recordEvent,
  requeueAfter,
  watching,
} from '#reconcile'
import { type NotificationsConfig, readConfig } from './config.ts'
import { type Decision, type Due, decideNotifications } from './decide.ts'
import { deliver } from './deliver.ts'
import { type Commit, environmentOf } from './environment.ts'
import { Memory } from './memory.ts'
import { annotationOf, notifiedAnnotation, type Sent, sentOf } from './state.ts'
import { destinationsOf } from './subscriptions.ts'
import { withoutSecrets } from './without-secrets.ts'

export interface NotificationsLoopOptions {
  readonly web: WebClient
  /** A commit of the application's repositories; undefined for what is none. */
  readonly describe: (app: Application, revision: string) => Promise<Commit | undefined>
}

const configName = 'argocd-notifications-cm'
const secretName = 'argocd-notifications-secret'
/** The key under which the configuration itself is looked at. */
const configKey = 'configuration'
/** How often a condition is asked that depends on the time. */
const timeMs = 60_000

const isOurs = ({ metadata }: ConfigMap | Secret, name: string): boolean =>
  metadata.namespace === argocdNamespace && metadata.name === name

export function notificationsLoop(options: NotificationsLoopOptions): LoopDefinition {
  const memory = new Memory()
  const everything = (cache: Cache) => [configKey, ...cache.list(Application).map(objectKey)]
  return {
    name: 'notifications-controller',
    user: 'system:serviceaccount:argocd:argocd-notifications-controller',
    manager: 'argocd-notifications-controller',
    watches: [
      watching(Application, (app, old, cache) =>
        cache.get(ConfigMap, `${argocdNamespace}/${configName}`) === undefined ||
        (old !== undefined && !isNews(app, old))
          ? []
          : [objectKey(app)],
      ),
      watching(AppProject, (project, old, cache) =>
        isEqual(project.metadata.annotations, old?.metadata.annotations)
          ? []
          : cache
              .list(Application)
              .filter(({ spec }) => spec.project === project.metadata.name)
              .map(objectKey),
      ),
      watching(ConfigMap, (map, _old, cache) => (isOurs(map, configName) ? everything(cache) : [])),
      watching(Secret, (secret, _old, cache) => (isOurs(secret, secretName) ? everything(cache) : [])),
    ],
    workers: 4,
    reconcile: (key, kit) => reconcile({ ...options, memory }, key, kit),
  }
}

/** More than what the record of sent notifications says, and when it was compared. */
function isNews(app: Application, old: Application): boolean {
  const strip = ({ metadata, status = {}, spec, operation }: Application) => {
    const { resourceVersion: _version, managedFields: _fields, annotations = {}, ...rest } = metadata
    const { [notifiedAnnotation]: _sent, ...others } = annotations
    const { reconciledAt: _at, ...said } = status
    return { rest, others, said, spec, operation }
  }
  return !isEqual(strip(app), strip(old))
}

interface Parts extends NotificationsLoopOptions {
  readonly memory: Memory
}

async function reconcile(parts: Parts, key: string, kit: Kit): Promise<Outcome> {
  const map = kit.cache.get(ConfigMap, `${argocdNamespace}/${configName}`)
  if (map === undefined) return done()
  const config = configOf(parts.memory, kit.cache, map)
  if (key === configKey) {
    tellFaults(kit, map, config.faults)
    return done()
  }
  const app = kit.cache.get(Application, key)
  if (app === undefined) {
    parts.memory.forget(key)
    return done()
  }
  return notify(parts, { kit, app, config, key })
}

function configOf(memory: Memory, cache: Cache, map: ConfigMap): NotificationsConfig {
  const secret = cache.get(Secret, `${argocdNamespace}/${secretName}`)
  const url = cache.get(ConfigMap, `${argocdNamespace}/argocd-cm`)?.data?.['url']
  return memory.config([map, secret, url], () => readConfig(map, secret, url))
}

function tellFaults(kit: Kit, map: ConfigMap, faults: readonly string[]): void {
  for (const message of faults)
    recordEvent(kit, { object: map, type: 'Warning', reason: 'InvalidConfiguration', message })
}

interface Look {
  readonly kit: Kit
  readonly app: Application
  readonly config: NotificationsConfig
  readonly key: string
}

/** An operation ends before what it did is compared and judged: until then health is that of before the sync. */
const comparisonMs = 2000
const comparedAt = ({ status }: Application): number =>
  (parseTime(status?.operationState?.finishedAt) ?? Number.NEGATIVE_INFINITY) + comparisonMs

async function notify(parts: Parts, look: Look): Promise<Outcome> {
  const { kit, app, config, key } = look
  const project = kit.cache.get(AppProject, `${argocdNamespace}/${app.spec.project}`)
  const destinations = destinationsOf(config, app, project)
  const noted = sentOf(app)
  const sent: Sent = { ...noted, ...parts.memory.sent(key) }
  if (destinations.size === 0 && Object.keys(sent).length === 0) return done()
  const now = kit.world.clock.now()
  const rest = comparedAt(app) - now
  if (rest > 0 && !isTerminating(app)) return requeueAfter(rest)
  const environment = environmentOf({ app, now, commits: await commitsOf(parts, look) })
  const decision = decideNotifications({ config, destinations, environment, sent })
  const after = await sendAll(parts, look, { decision, sent, variables: { environment, project } })
  await note(parts, look, { noted, after })
  return again(parts, look, decision)
}

/** Commits that templates and conditions may ask about: only where one of them does. */
async function commitsOf({ describe }: Parts, { app, config }: Look): Promise<ReadonlyMap<string, Commit>> {
  if (!config.asksCommits) return new Map()
  const { sync, operationState } = app.status ?? {}
  const named = [sync, operationState?.syncResult, operationState?.operation.sync].flatMap((fields) => [
    ...(fields?.revisions ?? []),
    ...(fields?.revision === undefined || fields.revision === '' ? [] : [fields.revision]),
  ])
  const found = new Map<string, Commit>()
  for (const revision of new Set(named)) {
    const commit = await describe(app, revision)
    if (commit !== undefined) found.set(revision, commit)
  }
  return found
}

interface Work {
  readonly decision: Decision
  readonly sent: Sent
  readonly variables: Parameters<typeof deliver>[2]
}

/** What was sent after this. */
async function sendAll(parts: Parts, look: Look, { decision, sent, variables }: Work): Promise<Sent> {
  const { kit, key, config } = look
  const after: Record<string, number> = { ...sent }
  for (const over of decision.over) delete after[over]
  for (const message of decision.faults)
    if (parts.memory.noteFault(key, message, { now: kit.world.clock.now(), message })) tell(look, message)
  for (const due of decision.due) {
    const now = kit.world.clock.now()
    if (parts.memory.isEarly(key, due.key, now)) continue
    const fault = await deliver(parts.web, { ...look, due }, variables)
    if (fault === undefined) {
      after[due.key] = Math.floor(now / 1000)
      parts.memory.noteSent(key, due.key, after[due.key] ?? 0)
    } else if (parts.memory.noteFault(key, due.key, { now, message: fault })) {
      tell(look, withoutSecrets(`${nameOf(due)}: ${fault}`, config.secrets))
    }
  }
  return after
}

const nameOf = ({ trigger, destination: { service, recipient } }: Due): string =>
  `notification ${trigger} by ${service}${recipient === '' ? '' : ` to ${recipient}`}`

function tell({ kit, app }: Look, message: string): void {
  kit.world.log.warn(message, { application: app.metadata.name })
  recordEvent(kit, { object: app, type: 'Warning', reason: 'NotificationFailed', message })
}

/** On the application: what was sent. Until that is written it is remembered here, so that it is not sent again. */
async function note(
  { memory }: Parts,
  { kit, app, key }: Look,
  { noted, after }: { readonly noted: Sent; readonly after: Sent },
): Promise<void> {
  if (isEqual(noted, after)) return memory.forgetSent(key)
  const { namespace = '', name = '', uid } = app.metadata
  const patch = { metadata: { uid, annotations: { [notifiedAnnotation]: annotationOf(after) } } }
  try {
    await kit.client.patch(Application, { namespace, name }, patch, { type: 'application/merge-patch+json' })
  } catch (error) {
    if (!isNotFound(error)) throw error
  }
}

function again({ memory }: Parts, { kit, key }: Look, { asksTime, due }: Decision): Outcome {
  const now = kit.world.clock.now()
  const times = due.flatMap((each) => memory.dueAt(key, each.key) ?? [])
  const wait = Math.min(...times.map((at) => at - now), asksTime ? timeMs : Number.POSITIVE_INFINITY)
  return Number.isFinite(wait) ? requeueAfter(Math.max(wait, 1)) : done()
}
