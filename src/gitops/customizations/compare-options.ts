// `resource.compareoptions` of argocd-cm: what is no difference for anybody. Every field is checked.

import { isJsonMap, type Json } from '#objects'
import type { CompareOptions } from './customization.ts'
import { ReadFault } from './values.ts'

export const compareOptionsKey = 'resource.compareoptions'

export const defaultCompareOptions: CompareOptions = { ignoreAggregatedRoles: false, ignoreResourceStatusField: 'all' }

/** The last one only says which events Argo CD does not look at; here every event is looked at, and most cost nothing. */
const fields = ['ignoreAggregatedRoles', 'ignoreResourceStatusField', 'ignoreDifferencesOnResourceUpdates']

export function compareOptionsIn(value: Json | undefined): CompareOptions {
  if (value === undefined || value === null) return defaultCompareOptions
  if (!isJsonMap(value)) throw new ReadFault(`must be a map of ${fields.join(', ')}`)
  const unknown = Object.keys(value).find((field) => !fields.includes(field))
  if (unknown !== undefined) throw new ReadFault(`has an unknown field ${unknown}; known are ${fields.join(', ')}`)
  flagIn(value['ignoreDifferencesOnResourceUpdates'], 'ignoreDifferencesOnResourceUpdates')
  return {
    ignoreAggregatedRoles: flagIn(value['ignoreAggregatedRoles'], 'ignoreAggregatedRoles'),
    ignoreResourceStatusField: statusFieldIn(value['ignoreResourceStatusField']),
  }
}

function flagIn(value: Json | undefined, field: string): boolean {
  if (value === undefined || typeof value === 'boolean') return value ?? false
  throw new ReadFault(`${field} must be true or false`)
}

function statusFieldIn(value: Json | undefined): CompareOptions['ignoreResourceStatusField'] {
  switch (value) {
    case undefined:
    case '':
    case 'all':
      return 'all'
    case 'crd':
      return 'crd'
    // YAML 1.1 reads `off` as false.
    case 'none':
    case 'off':
    case false:
      return 'none'
    default:
      throw new ReadFault('ignoreResourceStatusField must be all, crd or none')
  }
}
