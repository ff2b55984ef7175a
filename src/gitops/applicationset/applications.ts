// From an ApplicationSet and the parameters of its generators to the Applications that it wants. Pure.

import { parse } from 'yaml'
import { TemplateFault } from '#gitops/gotemplate'
import {
  type Application,
  type ApplicationSet,
  type ApplicationSetTemplate,
  argocdNamespace,
  type Generator,
  resourcesFinalizer,
} from '#kinds'
import { type Json, type JsonObject, mergePatch } from '#objects'
import { merged } from './merged.ts'
import { fill, fillText, type Params, type TemplateStyle } from './template.ts'

export const styleOf = ({ spec }: ApplicationSet): TemplateStyle => ({
  goTemplate: spec.goTemplate === true,
  missingKeyIsFault: spec.goTemplateOptions?.includes('missingkey=error') === true,
})

export interface Generated {
  readonly generator: Generator
  readonly params: readonly Params[]
}

/** Throws TemplateFault. */
export function applicationsOf(set: ApplicationSet, generated: readonly Generated[]): readonly Application[] {
  return generated.flatMap(({ generator, params }) => {
    const template = templateFor(set, generator)
    return params.map((each) => applicationFrom(set, template, each))
  })
}

/** A generator's own template stands over that of the set. */
function templateFor(set: ApplicationSet, generator: Generator): JsonObject {
  const base = set.spec.template as unknown as JsonObject
  const own = Object.values(generator)
    .map((block) => (block as { readonly template?: ApplicationSetTemplate } | undefined)?.template)
    .find((template) => template !== undefined && template !== null)
  return own === undefined ? base : merged(base, own as unknown as JsonObject)
}

function applicationFrom(set: ApplicationSet, template: JsonObject, params: Params): Application {
  const style = styleOf(set)
  const { metadata = {}, spec = {} } = fill(template, params, style) as ApplicationSetTemplate
  const { labels, annotations, finalizers = [], name = '' } = metadata
  const keepsResources = set.spec.syncPolicy?.preserveResourcesOnDeletion === true
  const own = finalizers.length > 0 ? finalizers : keepsResources ? [] : [resourcesFinalizer]
  const application = {
    apiVersion: 'argoproj.io/v1alpha1',
    kind: 'Application',
    metadata: {
      name,
      namespace: set.metadata.namespace ?? argocdNamespace,
      ...(labels === undefined ? {} : { labels }),
      ...(annotations === undefined ? {} : { annotations }),
      ...(own.length === 0 ? {} : { finalizers: own }),
    },
    spec,
  } as unknown as Application
  return patched(set, application, params)
}

/** `templatePatch`: maps are merged, lists replaced. */
function patched({ spec }: ApplicationSet, application: Application, params: Params): Application {
  const { templatePatch } = spec
  if (templatePatch === undefined || templatePatch.trim() === '') return application
  const style = { goTemplate: true, missingKeyIsFault: spec.goTemplateOptions?.includes('missingkey=error') === true }
  const text = fillText(templatePatch, params, style)
  let patch: Json
  try {
    patch = parse(text, { version: '1.1' }) as Json
  } catch (error) {
    throw new TemplateFault(`templatePatch: ${(error as Error).message.split('\n')[0]}`)
  }
  if (patch === null) return application
  if (typeof patch !== 'object' || Array.isArray(patch)) throw new TemplateFault('templatePatch must become a map')
  const { metadata, spec: patchedSpec } = patch as JsonObject
  const isProjectChanged =
    typeof patchedSpec === 'object' && patchedSpec !== null && !Array.isArray(patchedSpec) && 'project' in patchedSpec
  if (isProjectChanged) throw new TemplateFault('templatePatch must not change spec.project')
  const change: Json = {
    ...(metadata === undefined ? {} : { metadata }),
    ...(patchedSpec === undefined ? {} : { spec: patchedSpec }),
  }
  return mergePatch(application as unknown as Json, change) as unknown as Application
}
