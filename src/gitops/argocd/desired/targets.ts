// From what was rendered to what is wanted in the cluster: namespaces filled in, fields that only a server sets dropped,
// the tracking annotation added, repeated and excluded objects told. Pure but for a note of what was made from what, so
// that an unchanged manifest is the same object at every comparison.

import { keyOf, keyText, type ResourceKey, shownName, withTracking } from '#gitops/diff'
import { problemText, type RenderedObject } from '#gitops/render'
import { isHook } from '#gitops/sync'
import type { Kind } from '#kinds'
import { type AnyObject, groupOf, type ObjectMeta } from '#objects'
import type { Finding } from '../application/conditions.ts'

export interface Target {
  readonly key: ResourceKey
  readonly object: AnyObject
  /** Undefined: the cluster does not serve this kind. */
  readonly kind: Kind | undefined
  /** The application's path that it came from; the file is relative to it. */
  readonly path: string
  readonly file: string
  readonly line: number
}

export interface TargetInput {
  readonly app: string
  readonly destinationNamespace: string
  /** What each source gave, with its path. An object of a later source replaces the same one of an earlier source. */
  readonly sources: readonly { readonly path: string; readonly objects: readonly RenderedObject[] }[]
  readonly kindOf: (apiVersion: string, kind: string) => Kind | undefined
  /** For kinds that the cluster does not serve: whether a definition among the manifests says that they have a namespace. */
  readonly scopeOf: (apiVersion: string, kind: string) => boolean | undefined
  /** Whether `status` in a manifest is a part of what git wants. Default: never. */
  readonly wantsStatus?: (kind: string) => boolean
}

export interface Targets {
  readonly targets: readonly Target[]
  /** Why manifests cannot become an object, with their place. */
  readonly problems: readonly string[]
  readonly findings: readonly Finding[]
  /** Something that git has could not be made a target. */
  readonly incomplete: boolean
}

/** Definitions that the reconciler itself lives on; another version from a repository must not replace them. */
const ownDefinitions = /^(applications|appprojects|applicationsets)\.argoproj\.io$|\.lab\.homeostat\.dev$/
const serverMetadata: ReadonlySet<string> = new Set([
  'uid',
  'resourceVersion',
  'generation',
  'creationTimestamp',
  'deletionTimestamp',
  'deletionGracePeriodSeconds',
  'managedFields',
  'selfLink',
])

const prepared = new WeakMap<AnyObject, Map<string, AnyObject>>()

export function makeTargets(input: TargetInput): Targets {
  const gathered = new Gathered(input)
  for (const { path, objects } of input.sources) for (const rendered of objects) gathered.take(rendered, path)
  return gathered.targets()
}

class Gathered {
  readonly #input: TargetInput
  readonly #findings: Finding[] = []
  readonly #problems: string[] = []
  readonly #byKey = new Map<string, Target>()
  readonly #counts = new Map<string, number>()
  #incomplete = false

  constructor(input: TargetInput) {
    this.#input = input
  }

  take({ object, file, line }: RenderedObject, path: string): void {
    const unnamed = nameFault(object)
    if (unnamed !== undefined) this.#problems.push(problemText({ file, line, message: unnamed }, path))
    else if (object.kind === 'CustomResourceDefinition' && ownDefinitions.test(object.metadata.name ?? ''))
      this.#findings.push({
        type: 'ExcludedResourceWarning',
        message: `Resource ${groupOf(object.apiVersion)}/CustomResourceDefinition ${object.metadata.name} is kept out: the built-in definition stays`,
      })
    else this.#add({ object, file, line }, path)
  }

  #add({ object, file, line }: RenderedObject, path: string): void {
    const kind = this.#input.kindOf(object.apiVersion, object.kind)
    const namespaced = kind?.namespaced ?? this.#input.scopeOf(object.apiVersion, object.kind) ?? true
    const target = prepare(this.#input, object, namespaced)
    const key = keyOf(target)
    if (namespaced && key.namespace === '') {
      this.#incomplete = true
      this.#findings.push({
        type: 'InvalidSpecError',
        message: `Namespace for ${key.name} ${object.apiVersion}, Kind=${key.kind} is missing.`,
      })
      return
    }
    // Hooks with a generateName have no name yet, so none of them repeats another.
    const id = key.name === '' ? `${keyText(key)}#${this.#byKey.size}` : keyText(key)
    this.#counts.set(id, (this.#counts.get(id) ?? 0) + 1)
    this.#byKey.delete(id)
    this.#byKey.set(id, { key, object: target, kind, path, file, line })
  }

  targets(): Targets {
    const findings = [...this.#findings]
    for (const [id, count] of this.#counts) {
      const key = this.#byKey.get(id)?.key
      if (count > 1 && key !== undefined)
        findings.push({
          type: 'RepeatedResourceWarning',
          message: `Resource ${key.group}/${shownName(key)} appeared ${count} times among application resources.`,
        })
    }
    const incomplete = this.#incomplete || this.#problems.length > 0
    return { targets: [...this.#byKey.values()], problems: this.#problems, findings, incomplete }
  }
}

/** What has no name of its own cannot be found again: it would be created anew at every sync. */
function nameFault(object: AnyObject): string | undefined {
  const { name, generateName } = object.metadata
  if (name !== undefined && name !== '') return undefined
  if (generateName === undefined || generateName === '') return `${object.kind}: metadata.name is missing`
  return isHook(object)
    ? undefined
    : `${object.kind}: metadata.generateName ${JSON.stringify(generateName)} is only possible for hooks; give it a metadata.name`
}

function prepare(input: TargetInput, object: AnyObject, namespaced: boolean): AnyObject {
  const memo = prepared.get(object) ?? new Map<string, AnyObject>()
  prepared.set(object, memo)
  const wantsStatus = object['status'] !== undefined && input.wantsStatus?.(object.kind) === true
  const id = `${input.app}\0${input.destinationNamespace}\0${namespaced}\0${wantsStatus}`
  const known = memo.get(id)
  if (known !== undefined) return known
  const { namespace: given, ...rest } = Object.fromEntries(
    Object.entries(object.metadata).filter(([field]) => !serverMetadata.has(field)),
  ) as ObjectMeta
  const namespace = given === undefined || given === '' ? input.destinationNamespace : given
  const metadata: ObjectMeta = namespaced && namespace !== '' ? { ...rest, namespace } : rest
  const { status, ...body } = object
  const clean = { ...body, ...(wantsStatus ? { status } : {}), metadata } as AnyObject
  // As in Argo CD, definitions carry no tracking annotation: they are never pruned.
  const target =
    object.kind === 'CustomResourceDefinition' ? clean : withTracking(clean, input.app, input.destinationNamespace)
  memo.set(id, target)
  return target
}
