// What an explainer may ask: what is around its object, and what is to be said of others.

import type { ObjectRef } from '#client'
import type { Kind } from '#kinds'
import type { Finding } from './finding.ts'
import type { Surroundings } from './surroundings.ts'

export interface Around extends Surroundings {
  /** Findings of another object; none when it does not exist, or when the chain has come by it before. */
  chain(kind: Kind, ref: ObjectRef): Promise<readonly Finding[]>
  /** `configmaps`, `deployments.apps`. */
  kindOfResource(resource: string): Promise<Kind | undefined>
  /** A kind of the cluster, by group and name. */
  kindNamed(group: string, kind: string): Promise<Kind | undefined>
}
