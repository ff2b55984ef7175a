// In Kubernetes' internal form of a definition, what all versions say alike stands once at the top; faults are told at
// the paths of that form (Convert_v1_CustomResourceDefinitionSpec_To_apiextensions_CustomResourceDefinitionSpec).

import { isEqual } from '#objects'
import type { CustomResourceDefinitionVersion } from '../generated/types.ts'
import { without } from '../sharing.ts'

export type SharedFields = Pick<
  CustomResourceDefinitionVersion,
  'schema' | 'subresources' | 'additionalPrinterColumns' | 'selectableFields'
>
type SharedField = keyof SharedFields

const fields: readonly SharedField[] = ['schema', 'subresources', 'additionalPrinterColumns', 'selectableFields']

export interface Hoisted {
  readonly top: SharedFields
  readonly versions: readonly CustomResourceDefinitionVersion[]
}

export function hoist(versions: readonly CustomResourceDefinitionVersion[]): Hoisted {
  const [first, ...others] = versions
  if (first === undefined) return { top: {}, versions }
  const alike = fields.filter((field) => others.every((other) => isEqual(other[field], first[field])))
  const top = Object.fromEntries(alike.flatMap((field) => (first[field] === undefined ? [] : [[field, first[field]]])))
  return { top: top as SharedFields, versions: versions.map((version) => without(version, ...alike)) }
}
