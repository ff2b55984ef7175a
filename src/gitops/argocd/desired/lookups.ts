// What the charts of an application may look up in its destination. Whoever writes to a repository is not trusted with what
// others keep in the cluster: only what the project lets the application manage is answered, and of Secrets only those of its
// own namespace and its own ones.
// Reads: the destination.  Writes: nothing.

import { createHash } from 'node:crypto'
import { ApiError, isNotFound } from '#api'
import { type Destination, scopeFault } from '#gitops/destinations'
import { type FieldPath, hasWritten, trackedBy } from '#gitops/diff'
import type { Lookups } from '#gitops/render'
import { type LookupAnswer, type LookupQuestion, shownQuestion } from '#gitops/tools'
import { type Application, type AppProject, type Kind, Secret } from '#kinds'
import { type KubeObject, objectKey } from '#objects'
import { argocdNamespace, instanceName, syncManager } from '../application/names.ts'
import { isPermitted, mayManage } from '../projects/project.ts'

export type LookupPlace = Pick<
  Destination,
  'cluster' | 'isBuiltIn' | 'client' | 'cache' | 'kindOf' | 'capabilities' | 'follow'
>

export interface LookupInput {
  readonly app: Application
  readonly project: AppProject
  readonly destination: LookupPlace
  /** Told of every question. */
  readonly note?: (question: LookupQuestion) => void
}

/** An Application's way back to what Argo CD does: lookups find nothing. */
const offOption = 'HelmLookup=false'

/** A list of more is not for a template. */
const maxItems = 5000

export function lookupsOf(input: LookupInput): Lookups | 'none' {
  const { app, destination } = input
  if (app.spec.syncPolicy?.syncOptions?.includes(offOption) === true) return 'none'
  return {
    scope: `${destination.cluster.server} ${objectKey(app)}`,
    served: destination.capabilities.apiVersions,
    async ask(question) {
      const found = await answer(input, question).catch(forbidden)
      return typeof found === 'string' ? { type: 'refused', reason: refusal(question, found) } : found
    },
  }
}

const refusal = (question: LookupQuestion, reason: string): string =>
  `${shownQuestion(question)} may not be looked up: ${reason} (syncOptions: [${offOption}] lets lookups find nothing)`

/** A cluster that does not let this process read says so; one that does not answer says nothing of the question. */
function forbidden(error: unknown): string {
  if (error instanceof ApiError && error.code === 403) return error.message
  throw error
}

async function answer(input: LookupInput, asked: LookupQuestion): Promise<LookupAnswer | string> {
  const kind = input.destination.kindOf(asked.apiVersion, asked.kind)
  if (kind === undefined) return `the destination cluster has no list of ${asked.kind} in ${asked.apiVersion}`
  const question = kind.namespaced ? asked : { ...asked, namespace: '' }
  input.note?.(question)
  if (question.name === '') return answerList(input, kind, question)
  if (kind.namespaced && question.namespace === '') return 'it is in a namespace, and the lookup names none'
  const fault = faultOf(input, kind, question)
  if (fault !== undefined) return fault
  const isOthers = isSecretKind(kind) && question.namespace !== input.app.spec.destination.namespace
  // Who has written what is only told by the cluster itself, together with what there is then.
  const object = await (isOthers ? readWithManagers : readOne)(input.destination, kind, question)
  const secret = secretFault(input, kind, { ...question, object })
  if (secret !== undefined) return secret
  if (object === undefined) return { type: 'absent' }
  const { managedFields: _told, ...metadata } = object.metadata
  return { type: 'found', object: { ...object, metadata }, version: versionOf(object) }
}

/** All of it or nothing: a list without what the application may not see would be taken for the whole. */
async function answerList(input: LookupInput, kind: Kind, question: LookupQuestion): Promise<LookupAnswer | string> {
  const fault = faultOf(input, kind, question) ?? secretFault(input, kind, { ...question, object: undefined })
  if (fault !== undefined) return fault
  const items = await readAll(input.destination, kind, question.namespace)
  if (items === undefined) return `there are more than ${maxItems}`
  for (const { metadata } of items) {
    const hidden = faultOf(input, kind, { namespace: metadata.namespace ?? '', name: metadata.name ?? '' })
    if (hidden !== undefined) return hidden
  }
  const { apiVersion } = question
  const versions = createHash('sha256')
  for (const item of items) versions.update(`${versionOf(item)}\n`)
  return {
    type: 'found',
    object: { apiVersion, kind: `${kind.kind}List`, metadata: {}, items },
    version: `${items.length} ${versions.digest('base64')}`,
  }
}

interface Place {
  /** Empty: none, or any. */
  readonly namespace: string
  /** Empty: any. */
  readonly name: string
}

/** Why an object is not the application's to manage. */
function faultOf({ project, destination }: LookupInput, kind: Kind, { namespace, name }: Place): string | undefined {
  const { cluster } = destination
  const isAnywhere = kind.namespaced && namespace === ''
  const outOfReach = isAnywhere ? undefined : scopeFault(cluster, { kind: kind.kind, namespace, name })
  if (outOfReach !== undefined) return outOfReach
  const projectName = project.metadata.name ?? ''
  if (kind.namespaced && !isAnywhere && !isPermitted(project, cluster, namespace))
    return `project ${projectName} does not allow namespace ${namespace}`
  if (mayManage(project, { ...kind, name })) return undefined
  return `resource ${kind.group}:${kind.kind} is not permitted in project ${projectName}`
}

const secretsElsewhere =
  'of Secrets, only those of the namespace that the application deploys to are shown, and those that it has synced whole'

/** What others have to keep is not told, whatever the project lets the application write. */
function secretFault(
  { app, destination }: LookupInput,
  kind: Kind,
  { namespace, object }: { readonly namespace: string; readonly object: KubeObject | undefined },
): string | undefined {
  if (!isSecretKind(kind)) return undefined
  // Whoever may write there could make others' Secret his own by a sync that says its name alone.
  if (destination.isBuiltIn && namespace === argocdNamespace)
    return 'Secrets in the namespace of Argo CD hold credentials of others'
  if (object !== undefined && trackedBy(object) === instanceName(app) && isItsOwn(object)) return undefined
  // Without a namespace of its own an application has none of which it may see all.
  return namespace === '' || namespace !== app.spec.destination.namespace ? secretsElsewhere : undefined
}

const isSecretKind = ({ kind, group }: Kind): boolean => kind === Secret.kind && group === ''

/** A sync that says the name alone makes a Secret the application's; what others have written there stays theirs. */
function isItsOwn({ metadata, ...fields }: KubeObject): boolean {
  const { data = {} } = fields as Pick<Secret, 'data'>
  const paths: readonly FieldPath[] = [
    ...Object.keys(data).map((name): FieldPath => [field('data'), field(name)]),
    // What kubectl notes of its last apply holds the values once more.
    ...Object.keys(metadata.annotations ?? {}).map(
      (name): FieldPath => [field('metadata'), field('annotations'), field(name)],
    ),
  ]
  return hasWritten(metadata.managedFields ?? [], syncManager, paths)
}

const field = (name: string) => ({ type: 'field', name }) as const

async function readWithManagers(
  { client, follow }: LookupPlace,
  kind: Kind,
  { namespace, name }: Place,
): Promise<KubeObject | undefined> {
  // A change wakes the application.
  follow(kind)
  try {
    return await client.get(kind, { namespace, name }, { managedFields: true })
  } catch (error) {
    if (isNotFound(error)) return undefined
    throw error
  }
}

/** From the cache where the kind is followed: from now on it is, so that a change wakes the application. */
async function readOne(place: LookupPlace, kind: Kind, { namespace, name }: Place): Promise<KubeObject | undefined> {
  if (place.follow(kind).type === 'known')
    return place.cache.get(kind, namespace === '' ? name : `${namespace}/${name}`)
  try {
    return await place.client.get(kind, namespace === '' ? { name } : { namespace, name })
  } catch (error) {
    if (isNotFound(error)) return undefined
    throw error
  }
}

/** By namespace and name; undefined where there are too many. */
async function readAll(place: LookupPlace, kind: Kind, namespace: string): Promise<readonly KubeObject[] | undefined> {
  const options = namespace === '' ? {} : { namespace }
  const isKnown = place.follow(kind).type === 'known'
  const items = isKnown
    ? place.cache.list(kind, namespace === '' ? undefined : namespace)
    : (await place.client.list(kind, { ...options, limit: maxItems + 1 })).items
  if (items.length > maxItems) return undefined
  return [...items].sort((a, b) => (objectKey(a) < objectKey(b) ? -1 : 1))
}

const versionOf = ({ metadata }: KubeObject): string => `${metadata.uid ?? ''} ${metadata.resourceVersion ?? ''}`
