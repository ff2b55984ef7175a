// Templates filled in: what a service is given to send. Several templates make one message, later ones over earlier ones. Pure.

import { executeTemplate, TemplateFault } from '#gitops/gotemplate'
import type { JsonObject } from '#objects'
import type { Template } from './template.ts'

/** A template whose texts are filled in. */
export type Message = Partial<Template>

export function messageOf(templates: readonly (readonly [string, Template])[], variables: JsonObject): Message {
  let message: Message = {}
  for (const [name, template] of templates) {
    try {
      message = { ...message, ...filled(template, variables) }
    } catch (error) {
      if (error instanceof TemplateFault) throw new TemplateFault(`template ${name}: ${error.message}`)
      throw error
    }
  }
  return message
}

function filled<T>(value: T, variables: JsonObject): T {
  if (typeof value === 'string') return executeTemplate(value, variables, { missingKeyIsFault: false }) as T
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(
    Object.entries(value)
      .filter(([, item]) => item !== undefined && item !== null)
      .map(([key, item]) => [key, filled(item as unknown, variables)]),
  ) as T
}
