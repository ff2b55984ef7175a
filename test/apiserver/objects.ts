// Objects as a client writes them, as short as they are about.

import type { Kind } from '#kinds'
import type { KubeObject } from '#objects'

/** So that kind and version cannot change places. */
type ApiVersion = `v${number}` | `${string}/v${string}`

export const made = <T extends KubeObject>(kind: string, apiVersion: ApiVersion, rest: object): T =>
  ({ apiVersion, kind, ...rest }) as unknown as T

/** One of the namespace default. */
export const object = <T extends KubeObject>({ group, version, kind }: Kind<T>, name: string, rest: object = {}): T =>
  made(kind, (group === '' ? version : `${group}/${version}`) as ApiVersion, {
    metadata: { name, namespace: 'default' },
    ...rest,
  })

/** Of the object `a` in it. */
export const ref = { namespace: 'default', name: 'a' }
