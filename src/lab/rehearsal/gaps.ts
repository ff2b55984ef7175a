// Names of the objects that something waits for, to tell whether that changes.

import { type GapName, gapNames } from '#insight'
import type { Cache } from '#reconcile'

/** Applications tell of themselves; what a controller makes comes and goes, by other names each time. */
export const gapsIn = (cache: Cache, now: number): readonly string[] =>
  gapNames({ cache, now })
    .filter(({ kind, owned }) => kind !== 'Application' && !owned)
    .map(textOf)

const textOf = ({ kind, namespace = '', name }: GapName): string => `${kind} ${namespace}/${name}`
