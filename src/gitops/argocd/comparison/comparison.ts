// An application's objects side by side: what git wants, what is there, whether they differ and how they are. Pure; the
// answers of dry runs come in as `Judged`.

import type { Difference, ResourceKey } from '#gitops/diff'
import { type ApplicationHealth, rollUp, type Verdict } from '#gitops/health'
import { compareOptions, hasOption, isHook, waveOf } from '#gitops/sync'
import type { Kind, SyncStatusCode } from '#kinds'
import type { AnyObject } from '#objects'
import type { Finding } from '../application/conditions.ts'
import { ignoreHealthcheckAnnotation } from '../application/names.ts'
import type { ResolvedSet } from '../application/source-set.ts'

export interface Entry {
  readonly key: ResourceKey
  readonly version: string
  readonly kind: Kind | undefined
  readonly target?: AnyObject
  readonly live?: AnyObject
  /** What the cluster would store if the target were applied now. */
  readonly predicted?: AnyObject
  readonly sync: SyncStatusCode
  readonly differences: readonly Difference[]
  readonly verdict?: Verdict
  /** There but not wanted: it would be pruned. */
  readonly requiresPruning: boolean
  /** The cluster refuses the target: its own words. */
  readonly refusal?: string
  /** The application itself, an object that shall not count, or one that is only there to be ignored. */
  readonly leftOutOfHealth: boolean
}

export interface Comparison {
  /** What was compared with. */
  readonly resolved: ResolvedSet
  /** One for each source that brings manifests. */
  readonly sourceTypes: readonly string[]
  readonly entries: readonly Entry[]
  /** Hooks among the manifests: they have no sync status. */
  readonly hooks: readonly AnyObject[]
  readonly sync: SyncStatusCode
  readonly health: ApplicationHealth
  readonly findings: readonly Finding[]
  /** World time at which to compare again although nothing has changed. */
  readonly lookAgainAt?: number
}

/** A target with its live object and the verdict of the dry run. */
export interface Judged {
  readonly key: ResourceKey
  readonly version: string
  readonly kind: Kind | undefined
  readonly target?: AnyObject
  readonly live?: AnyObject
  readonly predicted?: AnyObject
  readonly modified: boolean
  readonly differences: readonly Difference[]
  readonly verdict?: Verdict
  readonly refusal?: string
  readonly askAgainAt?: number
}

export interface ComparisonInput {
  readonly resolved: ResolvedSet
  readonly sourceTypes: readonly string[]
  readonly judged: readonly Judged[]
  readonly hooks: readonly AnyObject[]
  readonly findings: readonly Finding[]
  /** Not everything that git wants could be read: objects that seem not to be wanted may well be. */
  readonly incomplete: boolean
  /** Something that stands in no object is to be synced. */
  readonly owesMore: boolean
  readonly isSelf: (key: ResourceKey) => boolean
}

export function compareApplication(input: ComparisonInput): Comparison {
  const entries = input.judged.map((judged) => toEntry(input, judged))
  const counted = entries.filter((entry) => !isIgnoredExtra(entry))
  const again = input.judged.flatMap(({ askAgainAt }) => askAgainAt ?? [])
  const differs = input.owesMore || counted.some((entry) => entry.sync === 'OutOfSync')
  return {
    resolved: input.resolved,
    sourceTypes: input.sourceTypes,
    entries,
    hooks: input.hooks,
    sync: input.incomplete ? 'Unknown' : differs ? 'OutOfSync' : 'Synced',
    health: rollUp(entries.map(toCounted)),
    findings: input.findings,
    ...(again.length === 0 ? {} : { lookAgainAt: Math.min(...again) }),
  }
}

function toEntry(input: ComparisonInput, judged: Judged): Entry {
  const { key, version, kind, target, live, predicted, verdict, refusal } = judged
  const isExtra = target === undefined
  const sync: SyncStatusCode = isExtra
    ? input.incomplete
      ? 'Unknown'
      : 'OutOfSync'
    : live === undefined || judged.modified
      ? 'OutOfSync'
      : 'Synced'
  const annotations = (target ?? live)?.metadata.annotations
  return {
    key,
    version,
    kind,
    ...(target === undefined ? {} : { target }),
    ...(live === undefined ? {} : { live }),
    ...(predicted === undefined ? {} : { predicted }),
    sync,
    differences: judged.differences,
    ...(verdict === undefined ? {} : { verdict }),
    requiresPruning: isExtra && !input.incomplete,
    ...(refusal === undefined ? {} : { refusal }),
    leftOutOfHealth:
      input.isSelf(key) ||
      annotations?.[ignoreHealthcheckAnnotation] === 'true' ||
      (live !== undefined && isHook(live)),
  }
}

/** An object that is not wanted, and whose application does not mind. */
const isIgnoredExtra = ({ target, live }: Entry): boolean =>
  target === undefined && live !== undefined && compareOptions(live).includes('IgnoreExtraneous')

const toCounted = (entry: Entry) => ({
  ...entry.key,
  live: entry.live !== undefined,
  verdict: entry.verdict,
  leftOut: entry.leftOutOfHealth,
})

export const entryWave = (entry: Entry): number => {
  const object = entry.target ?? entry.live
  return object === undefined ? 0 : waveOf(object)
}

/** Would be pruned, were it not being deleted already or asked to be kept. */
export const wantsPrune = (entry: Entry, options: readonly string[]): boolean =>
  entry.requiresPruning &&
  entry.live?.metadata.deletionTimestamp === undefined &&
  !hasOption(entry.live, options, 'Prune=false')
