// What the cluster would store of manifests that somebody shows (or, without any, of those in git), against what is there. Of
// objects that the application does not manage nothing is told.

import type { FastifyRequest } from 'fastify'
import { ApiError } from '#api'
import type { ManagedState } from '#gitops'
import { normalise } from '#gitops/diff'
import { type AnyObject, groupOf, isEqual } from '#objects'
import { type Context, queryList, readApplication } from './context.ts'
import { type Place, placeOf } from './place.ts'
import { publicStates } from './public.ts'
import { textOf } from './resources.ts'
import { RestError } from './rest-error.ts'

export function serverSideDiffRoute(context: Context): void {
  context.server.get('/api/v1/applications/:name/server-side-diff', async (request) => {
    const items = await diffs(context, request)
    return { items, modified: items.some(({ modified }) => modified) }
  })
}

interface Diff extends Pick<ManagedState, 'group' | 'version' | 'kind' | 'namespace' | 'name' | 'hook' | 'modified'> {
  readonly liveState: string
  /** What would be stored. */
  readonly targetState: string
}

async function diffs(context: Context, request: FastifyRequest): Promise<readonly Diff[]> {
  const application = await readApplication(context, request)
  const states = await context.gitops.managedResources(application)
  const sent = queryList(request, 'targetManifests').map(manifestIn)
  if (sent.length === 0) return states.map((state) => ({ ...shown(state, state.predicted), modified: state.modified }))
  const { destination } = application.spec
  const place = placeOf(context, application)
  const items: Diff[] = []
  for (const target of sent) items.push(await diffOf(place, states, placed(target, destination.namespace)))
  return items
}

function manifestIn(text: string): AnyObject {
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch {
    throw new RestError('invalidArgument', 'each of targetManifests must be a JSON text')
  }
  const object = value as Partial<AnyObject> | null
  if (
    typeof object !== 'object' ||
    object === null ||
    typeof object.apiVersion !== 'string' ||
    typeof object.kind !== 'string'
  )
    throw new RestError('invalidArgument', 'each of targetManifests must be an object with apiVersion and kind')
  return object as AnyObject
}

const placed = (target: AnyObject, namespace: string | undefined): AnyObject =>
  target.metadata?.namespace !== undefined || namespace === undefined
    ? target
    : { ...target, metadata: { ...target.metadata, namespace } }

async function diffOf({ client, findKind }: Place, states: readonly ManagedState[], target: AnyObject): Promise<Diff> {
  const group = groupOf(target.apiVersion)
  const { name = '', namespace } = target.metadata
  const kind = findKind(group, target.kind)
  if (kind === undefined) throw new RestError('invalidArgument', `the cluster has no kind ${target.kind}`)
  const space = kind.namespaced ? (namespace ?? 'default') : ''
  const state = states.find(
    (each) =>
      each.group === group && each.kind === target.kind && each.name === name && (each.namespace ?? '') === space,
  )
  if (state === undefined)
    throw new RestError('permissionDenied', `${target.kind} ${group} ${name} is not managed by the application`)
  const options = { dryRun: true, force: true, fieldManager: 'argocd-controller' }
  const predicted = await client.apply(kind, target, options).catch((error: unknown) => {
    if (error instanceof ApiError) throw new RestError('invalidArgument', error.message, { cause: error })
    throw error
  })
  return shown(state, predicted)
}

function shown({ live, ...state }: ManagedState, predicted: AnyObject | undefined): Diff {
  const { group, version, kind, namespace, name, hook } = state
  const [before, after] = publicStates(live, predicted).map((each) => each && normalise(each))
  const states = { liveState: textOf(before), targetState: textOf(after), modified: !isEqual(before, after) }
  return { group, version, kind, namespace, name, hook, ...states }
}
