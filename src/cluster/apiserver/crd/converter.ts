// Turns custom resources from version to version: by name alone (strategy None), or by asking the definition's webhook.
// What a webhook said of an object is remembered as long as the definition's spec stays what it is, as the watch cache
// of an API server does.

import { ApiError } from '#api'
import { schemaOfCustomResource } from '#kinds'
import { type AnyObject, applySchemaDefaults, DecodeError, decode, type Schema } from '#objects'
import { remembered } from '../conversions.ts'
import { plainError } from '../errors.ts'
import type { Conversion } from '../served.ts'
import { conversionReview, conversionVersionOf, convertedObject, kindText } from './conversion-review.ts'
import { specOf, type VersionSpec } from './spec.ts'

/** Calls the webhook of a definition, by the configuration that it has at this moment; throws what Go's client would say. */
export interface WebhookCaller {
  readonly uid: () => string
  readonly call: (definition: string, body: string) => Promise<string>
}

interface Target {
  readonly apiVersion: string
  readonly schema: Schema
}

function targetOf(definition: AnyObject, version: VersionSpec): Target {
  const apiVersion = `${specOf(definition).group}/${version.name}`
  return { apiVersion, schema: schemaOfCustomResource(version.schema?.openAPIV3Schema) }
}

type Known = WeakMap<AnyObject, AnyObject>

/** By the spec of a definition and the version that is wanted. */
const knownBySpec = new WeakMap<object, Map<string, Known>>()

function knownOf(definition: AnyObject, use: string): Known {
  const spec = specOf(definition)
  const bySpec = knownBySpec.get(spec) ?? new Map<string, Known>()
  knownBySpec.set(spec, bySpec)
  const known = bySpec.get(use) ?? new WeakMap<AnyObject, AnyObject>()
  bySpec.set(use, known)
  return known
}

/** Of custom resources that are served in `version`; `schema` is that version's. */
export function conversionOf(
  definition: AnyObject,
  { version, schema }: { readonly version: VersionSpec; readonly schema: Schema },
  caller: WebhookCaller,
): Conversion {
  const { versions, group, conversion } = specOf(definition)
  const served: Target = { apiVersion: `${group}/${version.name}`, schema }
  const storage = versions.find((one) => one.storage) ?? version
  const stored = storage === version ? served : targetOf(definition, storage)
  return conversion?.strategy === 'Webhook'
    ? new WebhookConversion(definition, { stored, served, caller })
    : renamed(stored, served)
}

/**
 * Versions differ in nothing but their name. What is read gets the defaults of the version that is served, since the
 * definition may have changed after the object was written.
 */
const renamed = (stored: Target, served: Target): Conversion =>
  remembered({
    toStored: (object) => inVersion(object, stored.apiVersion),
    fromStored: (object) => applySchemaDefaults(inVersion(object, served.apiVersion), served.schema),
  })

const inVersion = (object: AnyObject, apiVersion: string): AnyObject =>
  object.apiVersion === apiVersion ? object : { ...object, apiVersion }

interface Versions {
  readonly stored: Target
  readonly served: Target
  readonly caller: WebhookCaller
}

class WebhookConversion implements Conversion {
  readonly #definition: AnyObject
  readonly #versions: Versions
  readonly #toStored: Known
  readonly #fromStored: Known

  constructor(definition: AnyObject, versions: Versions) {
    this.#definition = definition
    this.#versions = versions
    this.#toStored = knownOf(definition, `to ${versions.stored.apiVersion}`)
    this.#fromStored = knownOf(definition, `from ${versions.served.apiVersion}`)
  }

  ask(object: AnyObject, form: 'stored' | 'served', anew: boolean): void | Promise<void> {
    const known = form === 'stored' ? this.#toStored : this.#fromStored
    const target = this.#versions[form]
    if (object.apiVersion === target.apiVersion || (known.has(object) && !anew)) return undefined
    return this.#converted(object, target).then((made) => {
      known.set(object, form === 'stored' ? made : applySchemaDefaults(made, target.schema))
    })
  }

  toStored(object: AnyObject): AnyObject {
    return object.apiVersion === this.#versions.stored.apiVersion ? object : asked(this.#toStored, object)
  }

  fromStored(object: AnyObject): AnyObject {
    const { apiVersion, schema } = this.#versions.served
    if (object.apiVersion !== apiVersion) return asked(this.#fromStored, object)
    const known = this.#fromStored.get(object) ?? applySchemaDefaults(object, schema)
    this.#fromStored.set(object, known)
    return known
  }

  async #converted(object: AnyObject, { apiVersion: desired, schema }: Target): Promise<AnyObject> {
    const { versions, conversion: configured, group } = specOf(this.#definition)
    if (!versions.some(({ name }) => `${group}/${name}` === object.apiVersion))
      throw plainError(`request to convert CR from an invalid group/version: ${object.apiVersion}`)
    const { uid, call } = this.#versions.caller
    try {
      const version = conversionVersionOf(configured?.webhook?.conversionReviewVersions ?? [])
      const conversion = { object, uid: uid(), desired, version }
      const answer = await call(this.#definition.metadata.name ?? '', conversionReview(conversion)).catch((error) => {
        throw new Error(
          `conversion webhook for ${kindText(object)} failed: ${error instanceof Error ? error.message : String(error)}`,
        )
      })
      return pruned(convertedObject(answer, conversion), schema)
    } catch (error) {
      throw error instanceof ApiError ? error : plainError(error instanceof Error ? error.message : String(error))
    }
  }
}

function asked(known: Known, object: AnyObject): AnyObject {
  const made = known.get(object)
  if (made !== undefined) return made
  throw new Error(
    `${kindText(object)} ${JSON.stringify(object.metadata.name)} was not handed to its conversion webhook`,
  )
}

/** Without the fields that the version does not know; what does not fit it is left to validation. */
function pruned(object: AnyObject, schema: Schema): AnyObject {
  try {
    return decode(object, schema).value as unknown as AnyObject
  } catch (error) {
    if (error instanceof DecodeError) return object
    throw error
  }
}
