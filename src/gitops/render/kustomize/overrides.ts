// What an Application says over the kustomization of its path, written into it as `kustomize edit` would. Pure.

import { ToolFault } from '#gitops/tools'
import type { KustomizeSource } from '#kinds'
import { isJsonMap, type Json, type JsonObject } from '#objects'
import { substitute } from '../build-environment.ts'

/** An override that cannot be written: said of the Application, not by kustomize. */
export class OverrideFault extends ToolFault {
  constructor(message: string) {
    super('refused', message)
  }
}

/** Whether anything is said over the kustomization. */
export const hasOverrides = ({ version: _v, kubeVersion: _k, apiVersions: _a, ...rest }: KustomizeSource): boolean =>
  Object.values(rest).some((value) => value !== undefined && value !== null && value !== '' && value !== false)

export interface OverrideInput {
  readonly overrides: KustomizeSource
  readonly environment: Readonly<Record<string, string>>
  /** Components that are there: others are left out where the Application says so. */
  readonly components: readonly string[]
}

/** The kustomization with the overrides. Throws OverrideFault. */
export function withOverrides(kustomization: JsonObject, input: OverrideInput): JsonObject {
  const { overrides, environment } = input
  const { namePrefix, nameSuffix, namespace, images, replicas, patches } = overrides
  const next: Record<string, Json> = { ...kustomization }
  if (isGiven(namePrefix)) next['namePrefix'] = namePrefix
  if (isGiven(nameSuffix)) next['nameSuffix'] = nameSuffix
  if (isGiven(namespace)) next['namespace'] = namespace
  if (images !== undefined && images.length > 0)
    next['images'] = setImages(
      listOf(next['images']),
      images.map((image) => substitute(image, environment)),
    )
  if (replicas !== undefined && replicas.length > 0) next['replicas'] = setReplicas(listOf(next['replicas']), replicas)
  addLabels(next, input)
  addAnnotations(next, input)
  if (patches !== undefined && patches.length > 0)
    next['patches'] = [...listOf(next['patches']), ...(patches as unknown as readonly Json[])]
  if (input.components.length > 0) {
    const known = listOf(next['components'])
    next['components'] = [...known, ...input.components.filter((component) => !known.includes(component))]
  }
  return next
}

const isGiven = (text: string | undefined): text is string => text !== undefined && text !== ''
const listOf = (value: Json | undefined): readonly Json[] => (Array.isArray(value) ? value : [])
/** `edit set image`: by name, in order of names; what an image leaves open stays as the kustomization has it. */
function setImages(known: readonly Json[], wanted: readonly string[]): readonly Json[] {
  const byName = new Map<string, JsonObject>()
  for (const image of known) if (isJsonMap(image)) byName.set(String(image['name']), image)
  for (const text of wanted) {
    const { name, ...change } = parseImage(text)
    const before = byName.get(name) ?? {}
    const { newTag: _tag, digest: _digest, ...named } = before
    // A tag replaces a digest and the other way round.
    const base = change.newTag !== undefined || change.digest !== undefined ? named : before
    byName.set(name, { ...base, name, ...change })
  }
  return [...byName.entries()].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, image]) => image)
}

interface ImageChange {
  readonly name: string
  readonly newName?: string
  readonly newTag?: string
  readonly digest?: string
}

/** `name:tag`, `name@digest`, `name=other`, `name=other:tag`, `name=other@digest`; `*` keeps what is there. */
export function parseImage(text: string): ImageChange {
  const at = text.indexOf('=')
  const name = at < 0 ? undefined : text.slice(0, at)
  const given = splitImage(at < 0 ? text : text.slice(at + 1))
  if (name === undefined) {
    if (given.newTag === undefined && given.digest === undefined)
      throw new OverrideFault(
        `kustomize.images: ${JSON.stringify(text)} is no image: write name:tag, name@digest, name=other or name=other:tag`,
      )
    return given
  }
  const { name: newName, ...rest } = given
  return { name, ...(newName === '' || newName === '*' ? {} : { newName }), ...rest }
}

function splitImage(text: string): ImageChange {
  const [beforeAt = '', digest] = text.split('@')
  if (digest !== undefined) return { name: beforeAt, ...(digest === '*' ? {} : { digest }) }
  const match = /^(.*):([\w.-]*|\*)$/.exec(text)
  if (match === null) return { name: text }
  const [, name = '', newTag = ''] = match
  return { name, ...(newTag === '*' ? {} : { newTag }) }
}

function setReplicas(known: readonly Json[], wanted: NonNullable<KustomizeSource['replicas']>): readonly Json[] {
  const byName = new Map<string, Json>()
  for (const each of known) if (isJsonMap(each)) byName.set(String(each['name']), each)
  for (const { name, count } of wanted) {
    const number = Number(count)
    if (!Number.isInteger(number) || number < 0)
      throw new OverrideFault(`kustomize.replicas: the count of ${name} is no number: ${JSON.stringify(count)}`)
    byName.set(name, { name, count: number })
  }
  return [...byName.values()]
}

/** `edit add label`: refuses to change one that is there, unless forced. */
function addLabels(next: Record<string, Json>, { overrides, environment }: OverrideInput): void {
  const { forceCommonLabels, labelWithoutSelector, labelIncludeTemplates } = overrides
  const commonLabels = filledIn(overrides.commonLabels ?? {}, environment)
  if (Object.keys(commonLabels).length === 0) return
  if (labelWithoutSelector !== true) {
    next['commonLabels'] = merged('commonLabels', next['commonLabels'], {
      wanted: commonLabels,
      force: forceCommonLabels === true,
    })
    return
  }
  const pairs = { ...commonLabels }
  const entry = labelIncludeTemplates === true ? { pairs, includeTemplates: true } : { pairs }
  next['labels'] = [...listOf(next['labels']), entry]
}

function addAnnotations(next: Record<string, Json>, { overrides, environment }: OverrideInput): void {
  const { commonAnnotations, forceCommonAnnotations, commonAnnotationsEnvsubst } = overrides
  if (commonAnnotations === undefined || Object.keys(commonAnnotations).length === 0) return
  const wanted = commonAnnotationsEnvsubst === true ? filledIn(commonAnnotations, environment) : commonAnnotations
  next['commonAnnotations'] = merged('commonAnnotations', next['commonAnnotations'], {
    wanted,
    force: forceCommonAnnotations === true,
  })
}

type Texts = Readonly<Record<string, string>>

const filledIn = (texts: Texts, environment: Texts): Texts =>
  Object.fromEntries(Object.entries(texts).map(([name, text]) => [name, substitute(text, environment)]))

function merged(
  field: string,
  known: Json | undefined,
  { wanted, force }: { readonly wanted: Readonly<Record<string, string>>; readonly force: boolean },
): JsonObject {
  const before = isJsonMap(known) ? known : {}
  const taken = Object.keys(wanted).find((name) => name in before && before[name] !== wanted[name])
  if (taken !== undefined && !force)
    throw new OverrideFault(
      `kustomize.${field}: ${taken} is in the kustomization already; set force${field[0]?.toUpperCase()}${field.slice(1)} to replace it`,
    )
  return { ...before, ...wanted }
}
