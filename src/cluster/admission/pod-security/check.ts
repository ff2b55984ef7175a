// What a check of the Pod Security Standards is, and the words that all of them use.

import type { Container, PodSpec } from '#kinds'

export interface Breach {
  readonly reason: string
  readonly detail: string
}

export interface Check {
  /** Checks of one id are versions of it: the newest that the asked version of the standards knows counts. */
  readonly id: string
  readonly level: 'baseline' | 'restricted'
  /** The first minor version of the standards that has it; absent: all. */
  readonly since?: number
  /** Baseline checks that a restricted one takes the place of. */
  readonly replaces?: string
  readonly find: (spec: PodSpec) => Breach | undefined
}

type AnyContainer = Pick<
  Container,
  'name' | 'securityContext' | 'ports' | 'livenessProbe' | 'readinessProbe' | 'startupProbe' | 'lifecycle'
>

export const containersOf = (spec: PodSpec): readonly AnyContainer[] => [
  ...(spec.initContainers ?? []),
  ...(spec.containers ?? []),
  ...(spec.ephemeralContainers ?? []),
]

export const quoted = (names: Iterable<string>): string => [...names].map((name) => JSON.stringify(name)).join(', ')

export const containerText = (names: readonly string[]): string =>
  `${names.length === 1 ? 'container' : 'containers'} ${quoted(names)}`

export const failing = (spec: PodSpec, isBad: (container: AnyContainer) => boolean): readonly string[] =>
  containersOf(spec)
    .filter(isBad)
    .map(({ name }) => name)

export const breach = (reason: string, details: readonly string[]): Breach | undefined =>
  details.length === 0 ? undefined : { reason, detail: details.join(', ') }

const isWindows = (spec: PodSpec): boolean => spec.os?.name === 'windows'

/** What pods of Windows have nothing to do with; the standards know of them since 1.25. */
export const notOnWindows =
  (find: Check['find']): Check['find'] =>
  (spec) =>
    isWindows(spec) ? undefined : find(spec)
