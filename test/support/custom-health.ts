// What the rules of custom resources say of invented objects, as one text: for the tables of src/gitops/health/custom.

import type { AnyObject } from '#objects'
import { customRule } from '../../src/gitops/health/custom/index.ts'

/** `Degraded: no key could decrypt it` for an object of the kind `group/Kind` with these fields. */
export function told(name: string, rest: object): string {
  const [group = '', kind = ''] = name.split('/')
  const metadata = { name: 'x', namespace: 'n', generation: 2 }
  const verdict = customRule(group, kind)?.({ apiVersion: `${group}/v1`, kind, metadata, ...rest } as AnyObject)
  return verdict === undefined ? 'no rule' : `${verdict.status}: ${verdict.message ?? ''}`
}

export const having = (...conditions: readonly object[]) => ({ status: { conditions } })
