// create: metadata → admission → rules of the kind → validation → store. Also the creating half of an update or apply on
// a name that does not exist.

import type { ApiResponse } from '#api'
import type { AnyObject } from '#objects'
import { type Entry, RevisionConflictError } from '#store'
import { type Admission, admissionOf } from './admit.ts'
import { readBody } from './body.ts'
import { withDistinctOwners } from './distinct-owners.ts'
import { alreadyExists, invalidError } from './errors.ts'
import type { Reservation } from './hooks.ts'
import { creationOf, type ManagedChain } from './managed.ts'
import { hasNoServerFields, newMetadata, refuseRevision } from './object-meta.ts'
import { respond, type Version } from './represent.ts'
import type { Scope } from './scope.ts'
import { errorKind, incomingForm, keyOf, storedForm } from './served.ts'
import { type Soon, whenDone } from './soon.ts'
import { takesAnyFinalizer, validateMeta } from './validate-meta.ts'
import { checkWriteOptions } from './write-options.ts'

/** Names are drawn again this often when a generated one is taken. */
const maxNameDraws = 8

export function create(scope: Scope): Soon<ApiResponse> {
  checkWriteOptions(scope, 'CreateOptions')
  const incoming = withDistinctOwners(scope, readBody(scope), true)
  return whenDone(createObject(scope, incoming, creationOf), (version) => respond(scope, 201, version))
}

/** How managedFields begin: by an Update of everything, or as an apply says. */
export type Ownership = (scope: Scope, incoming: AnyObject) => ManagedChain

export function createObject(scope: Scope, incoming: AnyObject, ownership: Ownership): Soon<Version> {
  const { name = '', generateName = '' } = incoming.metadata
  const draws = name === '' && generateName !== '' ? maxNameDraws : 1
  return drawn({ scope, incoming, ownership }, draws)
}

interface Creation {
  readonly scope: Scope
  readonly incoming: AnyObject
  readonly ownership: Ownership
}

/** Creates the object, under another name if the one that was drawn is taken. */
function drawn(creation: Creation, draws: number): Soon<Version> {
  try {
    const made = createNamed(creation)
    return made instanceof Promise ? made.catch((error) => drawnAgain(creation, draws, error)) : made
  } catch (error) {
    return drawnAgain(creation, draws, error)
  }
}

function drawnAgain(creation: Creation, draws: number, error: unknown): Soon<Version> {
  if (!(error instanceof NameTaken)) throw error
  if (draws <= 1) throw error.answer
  return drawn(creation, draws - 1)
}

class NameTaken extends Error {
  readonly answer: Error
  constructor(answer: Error) {
    super('name is taken')
    this.answer = answer
  }
}

function createNamed({ scope, incoming, ownership }: Creation): Soon<Version> {
  const { served } = scope
  const named: AnyObject = { ...incoming, metadata: newMetadata(scope, incoming.metadata) }
  // What the server adds to metadata nobody owns.
  const sent = hasNoServerFields(incoming.metadata) ? incoming : withSentOwnership(named, incoming)
  const managed = ownership(scope, sent)
  // Plug-ins that change objects come before names are generated, and name what they refuse accordingly.
  const { name = '', generateName = '' } = incoming.metadata
  const admission = admissionOf(scope, 'CREATE', undefined, name)
  admission.errorName = name || generateName
  const mutated = admission.mutate(incomingForm(served, named))
  const creation: Named = { named, managed, sent: incoming, isAsSent: sent === incoming, admission }
  return mutated instanceof Promise
    ? mutated.then((admitted) => admittedCreation(scope, creation, admitted))
    : admittedCreation(scope, creation, mutated)
}

interface Named {
  readonly named: AnyObject
  readonly managed: ManagedChain
  readonly sent: AnyObject
  /** Nothing of what was sent is owned in another way. */
  readonly isAsSent: boolean
  readonly admission: Admission
}

function admittedCreation(scope: Scope, creation: Named, admitted: AnyObject): Soon<Version> {
  const { admission, named } = creation
  const reservation = scope.core.hooksOf(scope.served)?.reserve?.(scope, admitted, undefined)
  const release = (error: unknown): never => {
    reservation?.release()
    throw error
  }
  const write = (object: AnyObject): Version => {
    const { managed, sent } = creation
    if (!scope.dryRun) refuseRevision(sent.metadata)
    const made = store(scope, { object, managed, isOwn: object.metadata === named.metadata })
    if (object === named && creation.isAsSent) managed.cameAs(made.value)
    if (scope.dryRun) reservation?.release()
    return made
  }
  const finish = (object: AnyObject): Soon<Version> => whenDone(storedForm(scope.served, object), write)
  try {
    const object = prepare(scope, reservation, admitted)
    admission.errorName = object.metadata.name ?? ''
    const validated = admission.validate(object)
    const made = validated === undefined ? finish(object) : validated.then(() => finish(object))
    return made instanceof Promise ? made.catch(release) : made
  } catch (error) {
    return release(error)
  }
}

/** Managed fields that a client sent say how ownership begins. */
function withSentOwnership(named: AnyObject, { metadata: { managedFields } }: AnyObject): AnyObject {
  return managedFields === undefined ? named : { ...named, metadata: { ...named.metadata, managedFields } }
}

function prepare(scope: Scope, reservation: Reservation | undefined, admitted: AnyObject): AnyObject {
  const { served } = scope
  const { strategy, info } = served
  const object = strategy.prepareForCreate(reservation?.object ?? admitted)
  const faults = validateMeta(object.metadata, {
    namespaced: info.namespaced,
    nameRule: strategy.nameRule,
    anyFinalizer: takesAnyFinalizer(served) || strategy.metaOnUpdate === '',
  })
  const more = [...(scope.core.hooksOf(served)?.faults?.(scope, object, undefined) ?? []), ...strategy.validate(object)]
  // What all kinds are asked for comes last, when a registry has nothing to say: here of one that leaves out metadata.
  const all = strategy.metaOnUpdate === '' && more.length > 0 ? more : [...faults, ...more]
  if (all.length > 0) throw invalidError(errorKind(served, object), object.metadata.name ?? '', all)
  for (const text of strategy.warnings(object)) scope.warn(text)
  return object
}

interface Candidate {
  readonly object: AnyObject
  readonly managed: ManagedChain
  /** Its metadata was made for this request, and nobody else has it. */
  readonly isOwn: boolean
}

function store(scope: Scope, { object, managed, isOwn }: Candidate): Version {
  const { core, served } = scope
  const { name = '', namespace } = object.metadata
  const key = keyOf(served, namespace, name)
  if (scope.dryRun) {
    const taken = core.store.get(served.bucket, key)
    if (taken !== undefined) throw new NameTaken(takenError(scope, taken, name))
    return { value: object, managed }
  }
  let entry: Entry
  try {
    entry = core.store.put(served.bucket, key, 0, (revision) => ({
      value: atRevision(object, String(revision), isOwn),
      attachment: managed,
    }))
  } catch (error) {
    const taken = error instanceof RevisionConflictError ? core.store.get(served.bucket, key) : undefined
    throw taken === undefined ? error : new NameTaken(takenError(scope, taken, name))
  }
  core.wrote(served, entry, undefined)
  return { value: entry.value, managed }
}

/** The last touch. Metadata that is the request's own is completed in place: the only copies that a creation can save. */
function atRevision(object: AnyObject, resourceVersion: string, isOwn: boolean): AnyObject {
  if (!isOwn) return { ...object, metadata: { ...object.metadata, resourceVersion } }
  const metadata: { resourceVersion?: string } = object.metadata
  metadata.resourceVersion = resourceVersion
  return object
}

const takenError = (scope: Scope, taken: Entry, name: string): Error =>
  alreadyExists(
    scope.served.info,
    name,
    taken.value.metadata.deletionTimestamp === undefined ? '' : 'object is being deleted: ',
  )
