// What is read of the resources of an Application: of those that it waits for, and in the built-in cluster alone.

import { type Application, type ApplicationResource, builtInServer } from '#kinds'
import { explainApplication } from './application.ts'
import type { Around } from './around.ts'
import type { Finding } from './finding.ts'
import { awaitedResource } from './operation.ts'

type Named = Pick<ApplicationResource, 'group' | 'kind' | 'namespace' | 'name'>

const resourcesShown = 3
/** The worst first: the others mostly wait for them. */
const worst = ['Degraded', 'Missing', 'Unknown', 'Progressing', 'Suspended']

export async function explainApplicationObject(around: Around, object: Application): Promise<readonly Finding[]> {
  const chains = isHere(object)
    ? waitedFor(object)
        .slice(0, resourcesShown)
        .map((named) => chainOf(around, named))
    : []
  return explainApplication({ object, resources: await Promise.all(chains) })
}

const isHere = ({ spec }: Application): boolean =>
  spec.destination?.server === builtInServer || spec.destination?.name === 'in-cluster'

function waitedFor(object: Application): readonly Named[] {
  const { resources = [] } = object.status ?? {}
  const awaited = awaitedResource(object)
  if (awaited !== undefined) return [awaited]
  if (object.metadata.deletionTimestamp !== undefined) return resources
  const rank = ({ health }: ApplicationResource): number => worst.indexOf(health?.status ?? '')
  return resources.filter((item) => rank(item) >= 0).toSorted((a, b) => rank(a) - rank(b))
}

async function chainOf(
  around: Around,
  { group = '', kind: kindName, namespace, name }: Named,
): Promise<readonly Finding[]> {
  const kind = await around.kindNamed(group, kindName)
  if (kind === undefined) return []
  return around.chain(kind, kind.namespaced && namespace !== undefined ? { namespace, name } : { name })
}
