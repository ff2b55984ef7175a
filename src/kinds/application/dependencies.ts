// What an Application waits for before it is synced: others, named by `DependsOn=NAME` among its sync options (our own).

import { argocdNamespace } from './names.ts'
import type { Application } from './types.ts'

export const dependsOnOption = 'DependsOn='

/** Keys of the applications that it waits for: of its own namespace, unless it says `NAMESPACE/NAME`. */
export function dependenciesOf({ metadata, spec }: Application): readonly string[] {
  const named = (spec.syncPolicy?.syncOptions ?? []).flatMap((text) =>
    text.startsWith(dependsOnOption) ? [text.slice(dependsOnOption.length).trim()] : [],
  )
  return named.map((name) => (name.includes('/') ? name : `${metadata.namespace ?? argocdNamespace}/${name}`))
}
