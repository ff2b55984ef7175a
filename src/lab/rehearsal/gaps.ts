// Names of the objects that something waits for, to tell whether that changes.

import { type GapName, gapNames } from '#insight'
import type { Cache } from '#reconcile'

/** Applications tell of themselves. */
export const gapsIn = (cache: Cache, now: number): readonly string[] =>
  gapNames({ cache, now })
    .filter(({ kind }) => kind !== 'Application')
    .map(textOf)

const textOf = ({ kind, namespace = '', name }: GapName): string => `${kind} ${namespace}/${name}`
