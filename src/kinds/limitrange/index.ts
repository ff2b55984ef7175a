// LimitRange (v1).

import { compareQuantity, quantityMilliValue } from '#objects'
import { duplicate, type FieldError, forbidden, invalid, required } from '../field-error.ts'
import { LimitRange, type LimitRangeItem } from '../generated/types.ts'
import type { KindRules } from '../kind.ts'
import { qualifiedName } from '../metadata/formats.ts'
import {
  amountText,
  checkContainerResourceName,
  checkResourceName,
  isOvercommitAllowed,
} from '../quantity/resources.ts'
import { roundResources } from '../quantity/round.ts'
import { mapShared, withDefaults } from '../sharing.ts'

type Amounts = Readonly<Record<string, string | number>>

function itemDefaults(item: LimitRangeItem): LimitRangeItem {
  if (item.type !== 'Container') return item
  const ofDefault: Amounts = { ...item.max, ...item.default }
  const ofRequest: Amounts = { ...item.min, ...ofDefault, ...item.defaultRequest }
  const changed = (amounts: Amounts, given: Amounts | undefined): Amounts | undefined =>
    Object.keys(amounts).length === Object.keys(given ?? {}).length ? undefined : amounts
  return withDefaults(item, {
    default: changed(ofDefault, item.default),
    defaultRequest: changed(ofRequest, item.defaultRequest),
  })
}

const rounded = (item: LimitRangeItem): LimitRangeItem =>
  withDefaults(item, {
    max: roundResources(item.max),
    min: roundResources(item.min),
    default: roundResources(item.default),
    defaultRequest: roundResources(item.defaultRequest),
    maxLimitRequestRatio: roundResources(item.maxLimitRequestRatio),
  })

const standardTypes: readonly string[] = ['Pod', 'Container', 'PersistentVolumeClaim']

function validate({ spec }: LimitRange): readonly FieldError[] {
  const errors: FieldError[] = []
  const types = new Set<string>()
  spec?.limits?.forEach((item, i) => {
    const at = `spec.limits[${i}]`
    const { type = '' } = item
    const faults = qualifiedName(type)
    for (const text of faults) errors.push(invalid(`${at}.type`, type, text))
    if (faults.length === 0 && !type.includes('/') && !standardTypes.includes(type))
      errors.push(invalid(`${at}.type`, type, 'must be a standard limit type or fully qualified'))
    if (types.has(type)) errors.push(duplicate(`${at}.type`, type))
    types.add(type)
    checkItem(item, at, errors)
  })
  return errors
}

const lists = ['max', 'min', 'default', 'defaultRequest', 'maxLimitRequestRatio'] as const

function checkItem(item: LimitRangeItem, at: string, errors: FieldError[]): void {
  const isPod = item.type === 'Pod'
  const checkName = isPod || item.type === 'Container' ? checkContainerResourceName : checkResourceName
  const names = new Set<string>()
  for (const list of lists) {
    const amounts = item[list] ?? {}
    if (isPod && (list === 'default' || list === 'defaultRequest')) {
      if (Object.keys(amounts).length > 0)
        errors.push(forbidden(`${at}.${list}`, "may not be specified when `type` is 'Pod'"))
      continue
    }
    if (list === 'maxLimitRequestRatio' && item.type === 'PersistentVolumeClaim') {
      if (item.min?.['storage'] === undefined && item.max?.['storage'] === undefined)
        errors.push(
          required(`${at}.limits`, 'either minimum or maximum storage value is required, but neither was provided'),
        )
    }
    for (const name of Object.keys(amounts)) {
      checkName(name, `${at}.${list}[${name}]`, errors)
      names.add(name)
    }
  }
  for (const name of names) checkAmounts(item, name, { at, isPod, errors })
}

interface Scope {
  readonly at: string
  readonly isPod: boolean
  readonly errors: FieldError[]
}

/** Names are the user's: `toString` can be one. */
const amountOf = (item: LimitRangeItem, list: (typeof lists)[number], name: string): string | number | undefined => {
  const amounts = item[list]
  return amounts !== undefined && Object.hasOwn(amounts, name) ? amounts[name] : undefined
}

function checkAmounts(item: LimitRangeItem, name: string, { at, isPod, errors }: Scope): void {
  const [min, max] = [amountOf(item, 'min', name), amountOf(item, 'max', name)]
  const [limit, request] = isPod ? [] : [amountOf(item, 'default', name), amountOf(item, 'defaultRequest', name)]
  const more = (a: string | number | undefined, b: string | number | undefined): boolean =>
    a !== undefined && b !== undefined && compareQuantity(a, b) > 0
  const t = (amount: string | number | undefined): string => amountText(amount ?? '0')
  const fault = (list: string, shown: string | number | undefined, text: string): void => {
    errors.push(invalid(`${at}.${list}[${name}]`, t(shown), text))
  }
  if (more(min, max)) fault('min', min, `min value ${t(min)} is greater than max value ${t(max)}`)
  if (more(min, request))
    fault('defaultRequest', request, `min value ${t(min)} is greater than default request value ${t(request)}`)
  if (more(request, max))
    fault('defaultRequest', request, `default request value ${t(request)} is greater than max value ${t(max)}`)
  if (more(request, limit))
    fault(
      'defaultRequest',
      request,
      `default request value ${t(request)} is greater than default limit value ${t(limit)}`,
    )
  if (more(min, limit)) fault('default', min, `min value ${t(min)} is greater than default value ${t(limit)}`)
  if (more(limit, max)) fault('default', max, `default value ${t(limit)} is greater than max value ${t(max)}`)
  const ratio = amountOf(item, 'maxLimitRequestRatio', name)
  if (more('1', ratio)) fault('maxLimitRequestRatio', ratio, `ratio ${t(ratio)} is less than 1`)
  if (ratio !== undefined && min !== undefined && max !== undefined) {
    const bound = quantityMilliValue(max) / quantityMilliValue(min)
    if (quantityMilliValue(ratio) / 1000 > bound)
      fault('maxLimitRequestRatio', ratio, `ratio ${t(ratio)} is greater than max/min = ${bound.toFixed(6)}`)
  }
  if (
    !isOvercommitAllowed(name) &&
    limit !== undefined &&
    request !== undefined &&
    compareQuantity(limit, request) !== 0
  )
    fault(
      'defaultRequest',
      request,
      `default value ${t(limit)} must equal to defaultRequest value ${t(request)} in ${name}`,
    )
}

export const limitRangeRules: KindRules<LimitRange> = {
  kind: LimitRange,
  metaOnUpdate: 'm',
  generation: 'none',
  allowCreateOnUpdate: true,
  defaults: (object) =>
    withDefaults(object, {
      spec:
        (object.spec?.limits ?? undefined) &&
        withDefaults(object.spec, { limits: mapShared(object.spec.limits, (item) => itemDefaults(rounded(item))) }),
    }),
  validate,
}
