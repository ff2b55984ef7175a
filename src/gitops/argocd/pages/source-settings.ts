// What kind of source an application has, and what can be set of it: asked of a source that may not be in an Application yet.

import type { Serving } from '#gitops/destinations'
import type { ParameterAnnouncement, Renderer } from '#gitops/render'
import { type Snapshot, SourceError, type Sources } from '#gitops/source'
import { ToolFault } from '#gitops/tools'
import { type Application, type ApplicationSource, sourcesIn } from '#kinds'
import type { Cache } from '#reconcile'
import { renderRequest } from '../desired/desired.ts'
import { imagesOf } from '../desired/images.ts'

export interface SourceSettings {
  readonly type: string
  readonly helm?: {
    readonly valueFiles: readonly string[]
    readonly values: string
    readonly parameters: readonly { readonly name: string; readonly value: string }[]
  }
  readonly kustomize?: { readonly images: readonly string[] }
  readonly plugin?: { readonly parametersAnnouncement: readonly ParameterAnnouncement[] }
}

interface Asking {
  readonly sources: Sources
  readonly renderer: Renderer
  readonly cache: Cache
  readonly serving: Serving
}

/** The application's other sources are those that values files may be in. Throws SourceError. */
export async function readSourceSettings(
  { sources, renderer, cache, serving }: Asking,
  app: Application,
  source: ApplicationSource,
): Promise<SourceSettings> {
  const snapshotOf = async ({ repoURL, chart, targetRevision = '' }: ApplicationSource): Promise<Snapshot> => {
    const repository = sources.repository(repoURL, chart)
    // No application may follow it yet.
    if (!repository.state.ready) await repository.refresh()
    return repository.snapshot(targetRevision)
  }
  const references = new Map<string, Snapshot>()
  for (const other of sourcesIn(app.spec))
    if ((other.ref ?? '') !== '') references.set(other.ref ?? '', await snapshotOf(other))
  const request = renderRequest({ app, cache, serving }, { source, snapshot: await snapshotOf(source), references })
  try {
    const { sourceType, chart, announced } = await renderer.settings(request)
    if (sourceType !== 'Kustomize')
      return {
        type: sourceType,
        ...(chart === undefined ? {} : { helm: chart }),
        ...(announced === undefined ? {} : { plugin: { parametersAnnouncement: announced } }),
      }
    const { objects } = await renderer.render(request)
    return { type: sourceType, kustomize: { images: imagesOf(objects.map(({ object }) => object)) } }
  } catch (error) {
    if (error instanceof ToolFault) throw new SourceError('InvalidPath', error.message, { cause: error })
    throw error
  }
}
