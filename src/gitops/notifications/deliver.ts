// Fills the templates of one notification in and hands it to its service. Answers what went wrong.

import { TemplateFault } from '#gitops/gotemplate'
import type { WebClient } from '#gitops/web'
import type { Application, AppProject } from '#kinds'
import type { Json, JsonObject } from '#objects'
import type { Kit } from '#reconcile'
import type { NotificationsConfig } from './config.ts'
import type { Due } from './decide.ts'
import { messageOf } from './message.ts'
import { ServiceFault } from './services/service.ts'

export interface Delivery {
  readonly kit: Kit
  readonly app: Application
  readonly config: NotificationsConfig
  readonly due: Due
}

export interface Variables {
  readonly environment: JsonObject
  readonly project: AppProject | undefined
}

export async function deliver(
  web: WebClient,
  { kit, app, config, due }: Delivery,
  { environment, project }: Variables,
): Promise<string | undefined> {
  const { destination, templates } = due
  const service = config.services.get(destination.service)
  if (service === undefined) return `notification service '${destination.service}' is not supported or not configured`
  const variables: JsonObject = {
    ...environment,
    appProject: (project ?? {}) as unknown as Json,
    context: config.context,
    secrets: config.secrets,
    serviceType: service.type,
    recipient: destination.recipient,
  }
  try {
    const named = templates.map((name) => {
      const template = config.templates.get(name)
      if (template === undefined) throw new TemplateFault(`template ${name} is not configured`)
      return [name, template] as const
    })
    await service.send({ message: messageOf(named, variables), destination, app, web, world: kit.world })
    return undefined
  } catch (error) {
    if (error instanceof ServiceFault || error instanceof TemplateFault) return error.message
    throw error
  }
}
