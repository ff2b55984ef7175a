// Links to other pages, as argocd-cm has them (`application.links`, `project.links`, `resource.links`): a Go template for the
// address, and where there is one an expression that says whether the link is for this object. Pure.

import { parse } from 'yaml'
import { executeTemplate, TemplateFault } from '#gitops/gotemplate'
import { ExpressionFault, evaluate, parseExpression } from '#gitops/notifications'
import { isJsonMap, type Json, type JsonObject } from '#objects'

export interface DeepLink {
  readonly title: string
  readonly url: string
  readonly description?: string
  readonly iconClass?: string
}

export interface DeepLinks {
  readonly links: readonly DeepLink[]
  /** What is wrong with the others. */
  readonly faults: readonly string[]
}

/** `objects` by the names that templates and expressions have for them. */
export function deepLinks(text: string, objects: JsonObject): DeepLinks {
  let entries: Json
  try {
    entries = parse(text) as Json
  } catch (error) {
    return { links: [], faults: [(error as Error).message.split('\n')[0] ?? ''] }
  }
  if (!Array.isArray(entries)) return { links: [], faults: entries === null ? [] : ['a list of links is expected'] }
  const links: DeepLink[] = []
  const faults: string[] = []
  for (const entry of entries as readonly Json[]) {
    try {
      links.push(...linkOf(entry, objects))
    } catch (error) {
      if (!(error instanceof TemplateFault) && !(error instanceof ExpressionFault)) throw error
      faults.push(error.message)
    }
  }
  return { links, faults }
}

function linkOf(entry: Json, objects: JsonObject): readonly DeepLink[] {
  if (!isJsonMap(entry) || typeof entry['url'] !== 'string') throw new TemplateFault('a link needs url and title')
  const { url, title = '', description, if: condition } = entry
  if (typeof condition === 'string' && condition !== '' && evaluate(parseExpression(condition), objects) !== true)
    return []
  const address = executeTemplate(url, objects, { missingKeyIsFault: false })
  // A page shows it as a link: it must not be a script.
  if (!/^https?:\/\//i.test(address)) throw new TemplateFault(`${address} is no http or https address`)
  const icon = entry['icon.class']
  return [
    {
      title: String(title),
      url: address,
      ...(typeof description === 'string' ? { description } : {}),
      ...(typeof icon === 'string' ? { iconClass: icon } : {}),
    },
  ]
}
