// Asks every generator of a set, with all that they may read.
// Reads: cluster Secrets, Secrets and ConfigMaps that generators name, repositories, services outside.

import { TemplateFault } from '#gitops/gotemplate'
import { type Followers, type Repository, SourceError, type Sources } from '#gitops/source'
import type { WebClient } from '#gitops/web'
import type { ApplicationSet } from '#kinds'
import type { Cache } from '#reconcile'
import type { Clock } from '#world'
import { type Generated, styleOf } from './applications.ts'
import { clusterFacts, type NamedCluster } from './cluster-facts.ts'
import type { Answers } from './generators/answers.ts'
import { GeneratorFault } from './generators/fault.ts'
import type { GeneratorContext } from './generators/generator.ts'
import { repositoriesOf } from './generators/git.ts'
import { generate } from './generators/index.ts'
import type { AwsEnvironment } from './providers/aws-environment.ts'
import { readsOf } from './reads.ts'

/** Argo CD asks generators again this often. */
export const lookAgainMs = 180_000

export interface Outside {
  readonly sources: Sources
  /** Asks git servers, and plug-ins. */
  readonly web: WebClient
  /** What generators may use of the operator's AWS environment; undefined: nothing. */
  readonly aws: AwsEnvironment | undefined
  /** Clusters that no Secret describes, beside the built-in one. */
  readonly contexts: readonly NamedCluster[]
  readonly followers: Followers
}

/** What generators read of the cluster, and when. */
export interface Looking {
  readonly cache: Cache
  readonly clock: Pick<Clock, 'now'>
}

export interface Look {
  readonly looking: Looking
  readonly answers: Answers
}

/** What is the matter with the set, its repositories or the services that it asks: told, not thrown on. */
export const isTold = (error: unknown): error is Error =>
  error instanceof GeneratorFault || error instanceof SourceError || error instanceof TemplateFault

/** The repositories of a set's generators wake it. */
export function follow({ sources, followers }: Outside, key: string, set: ApplicationSet): void {
  const known = repositoriesOf(set.spec.generators).flatMap((url) => {
    try {
      return [sources.repository(url).key]
    } catch (error) {
      // The generator tells what is wrong with the address.
      if (error instanceof SourceError) return []
      throw error
    }
  })
  followers.follow(key, [...new Set(known)])
}

export async function generateAll(
  { sources, web, aws, contexts }: Outside,
  set: ApplicationSet,
  { looking, answers }: Look,
): Promise<readonly Generated[]> {
  const { name = '', namespace = '' } = set.metadata
  const now = () => looking.clock.now()
  const reads = readsOf(looking.cache, namespace)
  const context: GeneratorContext = {
    style: styleOf(set),
    repository: (url) => readRepository(sources, url, now()),
    clusters: clusterFacts(looking.cache, namespace, contexts),
    setName: name,
    web,
    aws,
    remembered: (generator, block, asking) =>
      answers.remembered(JSON.stringify([generator, block]), asking, { reads, now }),
  }
  const all: Generated[] = []
  for (const generator of set.spec.generators) all.push({ generator, params: await generate(generator, context) })
  return all
}

/**
 * The repository loop keeps those that Applications and generators name. One that only parameters name is read here, when it
 * was not yet or is due.
 */
async function readRepository(sources: Sources, url: string, now: number): Promise<Repository> {
  const repository = sources.repository(url)
  const { ready, refreshedAtMs, trouble } = repository.state
  const isUnread = !ready && trouble === undefined
  if (isUnread || (refreshedAtMs !== undefined && now - refreshedAtMs > lookAgainMs)) await repository.refresh()
  return repository
}
