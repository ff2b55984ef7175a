// A repository on disk and a renderer that reads it, without a cluster.

import { createRenderer, problemText, type Rendered } from '#gitops/render'
import { createSources } from '#gitops/source'
import type { ApplicationSource } from '#kinds'
import { systemWorld } from '#world'
import { createRepository, type TestRepository } from './git-repository.ts'

export const renderingWorld = systemWorld()

export const renderingEnvironment = {
  app: { name: 'app', project: 'default', namespace: 'default' },
  capabilities: { kubeVersion: '1.34.0', apiVersions: ['v1'] },
}

/** Repositories are noted in `made`: whoever made them removes them. */
export async function startRendering(made: TestRepository[], files: Readonly<Record<string, string>>) {
  const repo = createRepository()
  made.push(repo)
  repo.commit(files)
  const sources = createSources({ world: renderingWorld, directory: '/nonexistent', local: [{ path: repo.path }] })
  await sources.open()
  const source = sources.repository(repo.path)
  const renderer = createRenderer({ world: renderingWorld })
  const render = async (path: string, options: Partial<ApplicationSource> = {}): Promise<Rendered> =>
    renderer.render({
      snapshot: await source.snapshot(''),
      path,
      source: { repoURL: repo.path, path, ...options },
      environment: renderingEnvironment,
    })
  return { repo, source, render }
}

/** As a user sees them. */
export const problemTexts = ({ problems }: Rendered, path: string): readonly string[] =>
  problems.map((problem) => problemText(problem, path))
