// Where an application deploys to, as the page says it.

import type { Application } from '../types.ts'

const builtIn: ReadonlySet<string> = new Set(['https://kubernetes.default.svc', 'in-cluster'])

type Place = Pick<Application, 'spec'>

/** Name or address of the cluster; undefined for the built-in one. */
export function clusterOf({ spec: { destination } }: Place): string | undefined {
  const { name = '', server = '' } = destination
  const cluster = name === '' ? server : name
  return cluster === '' || builtIn.has(cluster) ? undefined : cluster
}

/** `prod / shop`; without the cluster where that is the built-in one. */
export function shownDestination(app: Place): string {
  const cluster = clusterOf(app)
  const { namespace = '' } = app.spec.destination
  return [cluster, namespace === '' ? undefined : namespace].filter((part) => part !== undefined).join(' / ') || '–'
}
