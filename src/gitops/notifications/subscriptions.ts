// Who is told of what: annotations of the application and of its project, and subscriptions for all. Pure.

import { parse } from 'yaml'
import { z } from 'zod'
import type { Application, AppProject } from '#kinds'
import { matchesSelector } from '#objects'
import type { NotificationsConfig } from './config.ts'
import type { Destination } from './services/service.ts'

const prefix = 'notifications.argoproj.io/'
const subscribe = `${prefix}subscribe.`

/** Destinations by trigger, each once. */
export function destinationsOf(
  config: NotificationsConfig,
  app: Application,
  project: AppProject | undefined,
): ReadonlyMap<string, readonly Destination[]> {
  const all = [
    ...fromAnnotations(config, app.metadata.annotations ?? {}),
    ...fromAnnotations(config, project?.metadata.annotations ?? {}),
    ...fromConfig(config, app),
  ]
  const found = new Map<string, Map<string, Destination>>()
  for (const { trigger, destination } of all) {
    const known = found.get(trigger) ?? new Map<string, Destination>()
    known.set(`${destination.service}:${destination.recipient}`, destination)
    found.set(trigger, known)
  }
  return new Map([...found].map(([trigger, destinations]) => [trigger, [...destinations.values()]]))
}

interface Subscription {
  readonly trigger: string
  readonly destination: Destination
}

/** Without triggers those count that are the service's default, or everybody's. */
function of(
  { defaultTriggers, serviceDefaultTriggers }: NotificationsConfig,
  triggers: readonly string[],
  destination: Destination,
): readonly Subscription[] {
  const named = triggers.length > 0 ? triggers : (serviceDefaultTriggers.get(destination.service) ?? defaultTriggers)
  return named.map((trigger) => ({ trigger, destination }))
}

const listed = z.array(
  z.object({
    trigger: z.array(z.string()).nullish(),
    destinations: z.array(z.object({ service: z.string(), recipients: z.array(z.string()).nullish() })),
  }),
)

function fromAnnotations(
  config: NotificationsConfig,
  annotations: Readonly<Record<string, string>>,
): readonly Subscription[] {
  return Object.entries(annotations).flatMap(([name, value]) => {
    if (name === `${prefix}subscriptions`) return fromList(config, value)
    if (!name.startsWith(subscribe)) return []
    const parts = name.slice(subscribe.length).split('.')
    const [service, trigger] = [parts.at(-1) ?? '', parts.slice(0, -1).join('.')]
    return value
      .split(';')
      .map((recipient) => recipient.trim())
      .flatMap((recipient) => of(config, trigger === '' ? [] : [trigger], { service, recipient }))
  })
}

/** The annotation that lists several; one that is no such list says nothing. */
function fromList(config: NotificationsConfig, value: string): readonly Subscription[] {
  let parsed: unknown
  try {
    parsed = parse(value)
  } catch {
    return []
  }
  const result = listed.safeParse(parsed)
  if (!result.success) return []
  return result.data.flatMap(({ trigger, destinations }) =>
    destinations.flatMap(({ service, recipients }) =>
      (recipients ?? ['']).flatMap((recipient) => of(config, trigger ?? [], { service, recipient })),
    ),
  )
}

function fromConfig(config: NotificationsConfig, app: Application): readonly Subscription[] {
  return config.subscriptions
    .filter(({ selector }) => matchesSelector(selector, app.metadata.labels))
    .flatMap(({ recipients, triggers }) =>
      recipients.flatMap((text) => {
        const at = text.indexOf(':')
        const [service, recipient] = at < 0 ? [text, ''] : [text.slice(0, at), text.slice(at + 1)]
        return of(config, triggers, { service, recipient })
      }),
    )
}
