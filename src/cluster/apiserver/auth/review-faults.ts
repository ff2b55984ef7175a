// What access reviews may ask, as in Kubernetes' validation of the authorization group; and what of a selector they are
// asked with could not be understood, which the answer says.

import { checkRequirement, type FieldError, forbidden, invalid, required } from '#kinds'
import { type AnyObject, type LabelSelectorRequirement, parseFieldSelector, parseLabelSelector } from '#objects'

interface Requirement {
  readonly key?: string
  readonly operator?: string
  readonly values?: readonly string[]
}

interface SelectorAttributes {
  readonly rawSelector?: string
  readonly requirements?: readonly Requirement[]
}

export interface ResourceAttributes {
  readonly verb?: string
  readonly group?: string
  readonly resource?: string
  readonly subresource?: string
  readonly namespace?: string
  readonly name?: string
  readonly fieldSelector?: SelectorAttributes
  readonly labelSelector?: SelectorAttributes
}

export interface AccessSpec {
  readonly resourceAttributes?: ResourceAttributes
  readonly nonResourceAttributes?: { readonly path?: string; readonly verb?: string }
  readonly user?: string
  readonly groups?: readonly string[]
}

export type AccessKind = 'self' | 'subject' | 'local'

/** `review` has the namespace of its request already. */
export function reviewFaults(kind: AccessKind, review: AnyObject): readonly FieldError[] {
  const spec = (review['spec'] ?? {}) as AccessSpec
  const errors = [...attributeFaults(spec)]
  const { user = '', groups = [], resourceAttributes, nonResourceAttributes } = spec
  if (kind !== 'self' && user === '' && groups.length === 0)
    errors.push(invalid('spec.user', user, 'at least one of user or group must be specified'))
  if (resourceAttributes !== undefined) checkSelectors(resourceAttributes, errors)
  const { namespace = '', ...rest } = review.metadata
  const others = kind === 'local' ? rest : review.metadata
  if (Object.keys(others).length > 0)
    errors.push(invalid('metadata', review.metadata, `must be empty${kind === 'local' ? ' except for namespace' : ''}`))
  if (kind !== 'local') return errors
  if (resourceAttributes !== undefined && (resourceAttributes.namespace ?? '') !== namespace) {
    const given = resourceAttributes.namespace ?? ''
    errors.push(invalid('spec.resourceAttributes.namespace', given, 'must match metadata.namespace'))
  }
  if (nonResourceAttributes !== undefined)
    errors.push(invalid('spec.nonResourceAttributes', nonResourceAttributes, 'disallowed on this kind of request'))
  return errors
}

function attributeFaults({ resourceAttributes, nonResourceAttributes }: AccessSpec): readonly FieldError[] {
  if (resourceAttributes !== undefined && nonResourceAttributes !== undefined) {
    const why = 'cannot be specified in combination with resourceAttributes'
    return [invalid('spec.nonResourceAttributes', nonResourceAttributes, why)]
  }
  if (resourceAttributes !== undefined || nonResourceAttributes !== undefined) return []
  const why = 'exactly one of nonResourceAttributes or resourceAttributes must be specified'
  return [invalid('spec.resourceAttributes', null, why)]
}

function checkSelectors({ fieldSelector, labelSelector }: ResourceAttributes, errors: FieldError[]): void {
  const fields = 'spec.resourceAttributes.fieldSelector'
  if (fieldSelector !== undefined) {
    checkForm(fieldSelector, fields, errors)
    fieldSelector.requirements?.forEach((requirement, i) => {
      checkFieldRequirement(requirement, `${fields}.requirements[${i}]`, errors)
    })
  }
  const labels = 'spec.resourceAttributes.labelSelector'
  if (labelSelector === undefined) return
  checkForm(labelSelector, labels, errors)
  const found: FieldError[] = []
  labelSelector.requirements?.forEach((requirement, i) => {
    checkRequirement(requirement as LabelSelectorRequirement, `${labels}.requirements[${i}]`, found)
  })
  // Clients may be newer than the server, and know more operators.
  errors.push(...found.filter(({ field }) => !field.endsWith('.operator')))
}

function checkForm({ rawSelector = '', requirements = [] }: SelectorAttributes, path: string, errors: FieldError[]) {
  if (rawSelector !== '' && requirements.length > 0)
    errors.push(invalid(`${path}.rawSelector`, rawSelector, 'may not specified at the same time as requirements'))
  if (rawSelector === '' && requirements.length === 0)
    errors.push(required(`${path}.requirements`, `when ${path} is specified, requirements or rawSelector is required`))
}

function checkFieldRequirement({ key = '', operator, values = [] }: Requirement, path: string, errors: FieldError[]) {
  if (key === '') errors.push(required(`${path}.key`, 'must be specified'))
  if ((operator === 'In' || operator === 'NotIn') && values.length === 0)
    errors.push(required(`${path}.values`, "must be specified when `operator` is 'In' or 'NotIn'"))
  if ((operator === 'Exists' || operator === 'DoesNotExist') && values.length > 0)
    errors.push(forbidden(`${path}.values`, "may not be specified when `operator` is 'Exists' or 'DoesNotExist'"))
}

/** Field selectors know one value only. */
const isPlain = ({ operator = '', values = [] }: Requirement): boolean =>
  (operator === 'In' || operator === 'NotIn') && values.length === 1

/** What is understood of a field selector, as the query of a request would say it. */
export function fieldSelectorText({ rawSelector = '', requirements = [] }: SelectorAttributes): string {
  if (requirements.length === 0) return parses(parseFieldSelector, rawSelector) ? rawSelector : ''
  const terms = requirements.filter(isPlain)
  return terms.map(({ key, operator, values }) => `${key}${operator === 'In' ? '=' : '!='}${values?.[0]}`).join(',')
}

const labelOperators = new Set(['In', 'NotIn', 'Exists', 'DoesNotExist'])

/** What of the selectors the answer leaves out of account; empty if nothing. */
export function ignoredSelectors({ resourceAttributes }: AccessSpec): string {
  const { fieldSelector, labelSelector } = resourceAttributes ?? {}
  const texts = [
    ignoredOf('fieldSelector', fieldSelector, { parse: parseFieldSelector, understands: isPlain }),
    ignoredOf('labelSelector', labelSelector, {
      parse: parseLabelSelector,
      understands: ({ operator = '' }) => labelOperators.has(operator),
    }),
  ]
  return texts.filter((text) => text !== '').join('; ')
}

interface Grammar {
  readonly parse: (text: string) => unknown
  readonly understands: (requirement: Requirement) => boolean
}

function ignoredOf(name: string, selector: SelectorAttributes | undefined, grammar: Grammar): string {
  const { rawSelector = '', requirements = [] } = selector ?? {}
  const understood = requirements.filter(grammar.understands)
  const isWhole =
    understood.length === requirements.length && (rawSelector === '' || parses(grammar.parse, rawSelector))
  if (isWhole) return ''
  return `spec.resourceAttributes.${name}${understood.length > 0 ? ' partially' : ''} ignored due to parse error`
}

function parses(parse: Grammar['parse'], text: string): boolean {
  try {
    parse(text)
    return true
  } catch {
    return false
  }
}
