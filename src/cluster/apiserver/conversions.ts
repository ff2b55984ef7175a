// The few built-in resources that are served in another shape than they are kept in. Results are remembered, so that
// all readers of one stored object share one converted object.

import { builtInSchema } from '#kinds'
import { type AnyObject, decode, type KubeObject, type Versions } from '#objects'
import { convertEventToCore, convertEventToEventsV1 } from './event-conversion.ts'
import { convertHpaToV1, convertHpaToV2 } from './hpa-conversion.ts'
import type { Conversion, Served } from './served.ts'

/** Remembers by reference what stored objects became. */
export function remembered({ toStored, fromStored }: Conversion): Conversion {
  const known = new WeakMap<AnyObject, AnyObject>()
  return {
    toStored,
    fromStored(object) {
      const found = known.get(object)
      if (found !== undefined) return found
      const made = fromStored(object)
      known.set(object, made)
      return made
    },
  }
}

interface Version {
  readonly group: string
  readonly version: string
  readonly kind: string
}

/** What Go's structs of a kind show and leave out is told by its schema. */
const shaped =
  (convert: (object: AnyObject) => AnyObject, { group, version, kind }: Version): ((object: AnyObject) => AnyObject) =>
  (object) => {
    const schema = builtInSchema(group, version, kind)
    const converted = convert(object)
    return schema === undefined ? converted : (decode(converted, schema).value as unknown as AnyObject)
  }

export interface KeptElsewhere extends Conversion {
  readonly bucket: string
  /** The version that objects are kept in. */
  readonly group: string
  readonly version: string
}

/** How built-in objects look in the other versions of their group; custom ones look the same in all. */
export function versionsOf(served: Served): Versions {
  if (served.custom !== undefined) return undefined
  return (apiVersion) => {
    const { group, kind, resource } = served.info
    const [version = '', given = ''] = apiVersion.split('/').reverse()
    const schema = given === group ? builtInSchema(group, version, kind) : undefined
    if (schema === undefined) return 'gone'
    const there = conversions[`${apiVersion}/${resource}`]
    const convert = (object: KubeObject): KubeObject => {
      const from = conversions[`${object.apiVersion}/${resource}`]
      const stored = from?.toStored(object as AnyObject) ?? (object as AnyObject)
      return there === undefined ? stored : there.fromStored(stored)
    }
    return { schema, convert }
  }
}

const hpa = (version: string): Version => ({ group: 'autoscaling', version, kind: 'HorizontalPodAutoscaler' })
const eventV1: Version = { group: 'events.k8s.io', version: 'v1', kind: 'Event' }

export const conversions: Readonly<Record<string, KeptElsewhere>> = {
  'events.k8s.io/v1/events': {
    bucket: 'events',
    group: '',
    version: 'v1',
    ...remembered({ toStored: convertEventToCore, fromStored: shaped(convertEventToEventsV1, eventV1) }),
  },
  'autoscaling/v1/horizontalpodautoscalers': {
    bucket: 'horizontalpodautoscalers.autoscaling',
    group: 'autoscaling',
    version: 'v2',
    ...remembered({ toStored: shaped(convertHpaToV2, hpa('v2')), fromStored: shaped(convertHpaToV1, hpa('v1')) }),
  },
}
