// What is read of what an Application waits for: of its resources, in the built-in cluster alone, or of the applications that it
// depends on.

import { Application, type ApplicationResource, builtInServer, dependenciesOf } from '#kinds'
import { explainApplication } from './application.ts'
import type { Around } from './around.ts'
import type { Finding } from './finding.ts'
import { awaitedResource, awaitsOthers } from './operation.ts'

type Named = Pick<ApplicationResource, 'group' | 'kind' | 'namespace' | 'name'>

const chainsShown = 3
/** The worst first: the others mostly wait for them. */
const worst = ['Degraded', 'Missing', 'Unknown', 'Progressing', 'Suspended']

export async function explainApplicationObject(around: Around, object: Application): Promise<readonly Finding[]> {
  return explainApplication({ object, waitsFor: await Promise.all(chainsOf(around, object)) })
}

function chainsOf(around: Around, object: Application): readonly Promise<readonly Finding[]>[] {
  const isGoing = object.metadata.deletionTimestamp !== undefined
  if (!isGoing && dependsOnOthers(object)) return dependenciesOf(object).map((key) => chainOfApplication(around, key))
  if (!isHere(object)) return []
  return waitedFor(object)
    .slice(0, chainsShown)
    .map((named) => chainOf(around, named))
}

export const isHere = ({ spec }: Application): boolean =>
  spec.destination?.server === builtInServer || spec.destination?.name === 'in-cluster'

const dependsOnOthers = (object: Application): boolean =>
  awaitsOthers(object) || (object.status?.conditions ?? []).some(({ type }) => type === 'DependencyWarning')

async function chainOfApplication(around: Around, key: string): Promise<readonly Finding[]> {
  const [namespace = '', name = ''] = key.split('/')
  if ((await around.get(Application, { namespace, name })) !== undefined)
    return around.chain(Application, { namespace, name })
  return [
    {
      state: 'stuck',
      loop: 'whoever makes this Application',
      object: `Application ${key}`,
      gap: 'it does not exist',
      evidence: [],
      advice: `Create it, or correct its name after DependsOn= (of another namespace: DependsOn=NAMESPACE/NAME).`,
    },
  ]
}

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
