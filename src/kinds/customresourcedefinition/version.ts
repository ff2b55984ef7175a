// One version of a definition, and what all versions share: schema, subresources, columns, selectable fields.

import { duplicate, type FieldError, forbidden, invalid, required, tooMany } from '../field-error.ts'
import type {
  CustomResourceColumnDefinition,
  CustomResourceDefinitionVersion,
  CustomResourceSubresourceScale,
  JSONSchemaProps,
  SelectableField,
} from '../generated/types.ts'
import { CostBudget } from './cost-budget.ts'
import type { SharedFields } from './hoisting.ts'
import { checkOpenApi } from './openapi.ts'
import { printedSchema } from './printed.ts'
import { checkDefaults } from './schema-defaults.ts'
import { isStructured } from './schema-type.ts'
import { checkStructural } from './structural.ts'
import { checkRulesCompile } from './validation-rule.ts'

interface Place {
  readonly path: string
  readonly errors: FieldError[]
}

/** `top` is what the version shares with all others. */
export function checkVersion(version: CustomResourceDefinitionVersion, top: SharedFields, place: Place): void {
  const { path, errors } = place
  for (const fault of deprecationFaults(version))
    errors.push(invalid(`${path}.deprecationWarning`, version.deprecationWarning, fault))
  const { subresources } = top
  checkSharedFields(version, {
    ...place,
    schemaName: 'schema',
    ...(subresources === undefined ? {} : { subresources }),
  })
}

const maxWarning = 256

function deprecationFaults({ deprecated, deprecationWarning }: CustomResourceDefinitionVersion): readonly string[] {
  if (deprecationWarning === undefined) return []
  if (deprecated !== true) return ['can only be set for deprecated versions']
  const faults: string[] = []
  if (deprecationWarning.length > maxWarning) faults.push(`must be <= ${maxWarning} characters long`)
  if (deprecationWarning === '') faults.push('must not be an empty string')
  const index = deprecationWarning.search(/[^\p{L}\p{M}\p{N}\p{P}\p{S} ]/u)
  if (index >= 0)
    faults.push(`must only contain printable UTF-8 characters; non-printable character found at index ${index}`)
  return faults
}

/** By the name under which the schema would stand; the second text is Kubernetes' own slip. */
const noSchemaTexts = {
  validation: 'may only be set when validations.schema is included',
  schema: 'may only be set when `version.schema.openAPIV3Schema` is not included',
}

interface SharedPlace extends Place {
  readonly schemaName: keyof typeof noSchemaTexts
  /** Those that stand at the top and yet count here. */
  readonly subresources?: SharedFields['subresources']
}

export function checkSharedFields(
  fields: SharedFields,
  { path, schemaName, subresources: above, errors }: SharedPlace,
): void {
  const schema = fields.schema?.openAPIV3Schema
  const subresources = fields.subresources ?? above
  const hasStatus = subresources?.status !== undefined && subresources.status !== null
  if (schema !== undefined) checkSchema(schema, hasStatus, { path: `${path}.${schemaName}.openAPIV3Schema`, errors })
  const scale = fields.subresources?.scale
  if (scale !== undefined && scale !== null) checkScale(scale, `${path}.subresources.scale`, errors)
  fields.additionalPrinterColumns?.forEach((column, i) => {
    checkColumn(column, `${path}.additionalPrinterColumns[${i}]`, errors)
  })
  const selectable = fields.selectableFields ?? []
  const at = `${path}.selectableFields`
  if (selectable.length > 0 && schema === undefined) errors.push(invalid(at, '', noSchemaTexts[schemaName]))
  else checkSelectableFields(selectable, schema, { path: at, errors })
}

const allowedAtRoot: readonly string[] = [
  'Description Type Format Title Maximum ExclusiveMaximum Minimum ExclusiveMinimum MaxLength MinLength Pattern MaxItems',
  'MinItems UniqueItems MultipleOf Required Items Properties ExternalDocs Example XPreserveUnknownFields XValidations',
].flatMap((line) => line.split(' '))
const forbiddenAtRoot = [
  'nullable',
  'default',
  'enum',
  'maxProperties',
  'minProperties',
  'allOf',
  'oneOf',
  'anyOf',
  'not',
  'additionalProperties',
  'x-kubernetes-embedded-resource',
  'x-kubernetes-int-or-string',
  'x-kubernetes-list-map-keys',
  'x-kubernetes-list-type',
  'x-kubernetes-map-type',
] as const

function checkSchema(schema: JSONSchemaProps, hasStatus: boolean, { path, errors }: Place): void {
  if (hasStatus && schema.type && schema.type !== 'object')
    errors.push(
      invalid(
        `${path}.type`,
        schema.type,
        'only "object" is allowed as the type at the root of the schema if the status subresource is enabled',
      ),
    )
  else if (hasStatus && forbiddenAtRoot.some((keyword) => schema[keyword] !== undefined))
    errors.push(
      invalid(
        path,
        printedSchema(schema),
        `only [${allowedAtRoot.join(' ')}] fields are allowed at the root of the schema if the status subresource is enabled`,
      ),
    )
  if (schema.nullable === true) errors.push(forbidden(`${path}.nullable`, 'nullable cannot be true at the root'))
  const structural = isStructured(schema) ? structuralFaults(schema, path) : undefined
  errors.push(...(structural ?? []))
  const unsound = new Set<JSONSchemaProps>()
  checkOpenApi(schema, { path, errors, isRoot: true, unsound })
  // Of a schema whose structure is in order, the rules are read wherever nothing else is wrong there or further inside.
  if (structural?.length !== 0) return
  const budget = new CostBudget()
  checkRulesCompile(schema, { path, errors, isRoot: true, times: 1, budget, unsound })
  errors.push(...budget.faults(path))
}

function structuralFaults(schema: JSONSchemaProps, path: string): readonly FieldError[] {
  const faults = checkStructural(schema, path)
  return faults.length > 0 ? faults : checkDefaults(schema, path, true)
}

function checkScale(scale: CustomResourceSubresourceScale, path: string, errors: FieldError[]): void {
  const { specReplicasPath = '', statusReplicasPath = '', labelSelectorPath = '' } = scale
  const check = (name: string, value: string, under: readonly string[]): void => {
    if (!value.startsWith('.'))
      errors.push(invalid(`${path}.${name}`, value, 'must be a simple json path starting with .'))
    else if (!under.some((prefix) => value.startsWith(`${prefix}.`)))
      errors.push(
        invalid(
          `${path}.${name}`,
          value,
          `should be a json path under ${under.length > 1 ? `either ${under.join(' or ')}` : under[0]}`,
        ),
      )
  }
  if (specReplicasPath === '') errors.push(required(`${path}.specReplicasPath`))
  else check('specReplicasPath', specReplicasPath, ['.spec'])
  if (statusReplicasPath === '') errors.push(required(`${path}.statusReplicasPath`))
  else check('statusReplicasPath', statusReplicasPath, ['.status'])
  if (labelSelectorPath !== '') check('labelSelectorPath', labelSelectorPath, ['.spec', '.status'])
}

const columnTypes = ['boolean', 'date', 'integer', 'number', 'string']
const columnFormats = ['byte', 'date', 'date-time', 'double', 'float', 'int32', 'int64', 'password']

function checkColumn(column: CustomResourceColumnDefinition, path: string, errors: FieldError[]): void {
  const { name, type, format, jsonPath } = column
  if (!name) errors.push(required(`${path}.name`))
  const typeText = `must be one of ${columnTypes.join(',')}`
  if (!type) errors.push(required(`${path}.type`, typeText))
  else if (!columnTypes.includes(type)) errors.push(invalid(`${path}.type`, type, typeText))
  if (format && !columnFormats.includes(format))
    errors.push(invalid(`${path}.format`, format, `must be one of ${columnFormats.join(',')}`))
  if (!jsonPath) errors.push(required(`${path}.JSONPath`))
  else if (!jsonPath.startsWith('.'))
    errors.push(invalid(`${path}.JSONPath`, jsonPath, 'must be a simple json path starting with .'))
}

const maxSelectableFields = 8
const selectableTypes: readonly (string | undefined)[] = ['string', 'boolean', 'integer']

function checkSelectableFields(
  fields: readonly SelectableField[],
  schema: JSONSchemaProps | undefined,
  { path, errors }: Place,
): void {
  const seen = new Set<string>()
  fields.forEach(({ jsonPath = '' }, i) => {
    const at = `${path}[${i}].jsonPath`
    if (jsonPath === '') {
      errors.push(required(at))
      return
    }
    const found = fieldAt(schema, jsonPath)
    if (typeof found === 'string') {
      errors.push(invalid(at, jsonPath, `is an invalid path: ${found}`))
      return
    }
    if (jsonPath.startsWith('.metadata')) errors.push(invalid(at, jsonPath, 'must not point to fields in metadata'))
    else if (!selectableTypes.includes(found.type))
      errors.push(
        invalid(
          at,
          jsonPath,
          'must point to a field of type string, boolean or integer. Enum string fields and strings with formats are allowed.',
        ),
      )
    if (seen.has(jsonPath)) errors.push(duplicate(at, jsonPath))
    seen.add(jsonPath)
  })
  if (seen.size > maxSelectableFields) errors.push(tooMany(path, seen.size, maxSelectableFields))
}

/** The schema at a path such as `.spec.color`, or what is wrong with the path. */
function fieldAt(schema: JSONSchemaProps | undefined, jsonPath: string): JSONSchemaProps | string {
  if (!jsonPath.startsWith('.')) return `expected [ or . but got: ${jsonPath.split('.')[0] ?? ''}`
  let here = schema
  for (const name of jsonPath.slice(1).split('.')) {
    if (name === 'metadata' && here === schema) return {}
    here = here?.properties?.[name]
    if (here === undefined) return `does not refer to a valid field`
  }
  return here ?? {}
}
