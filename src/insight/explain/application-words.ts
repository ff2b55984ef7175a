// How what an Application's status tells is worded. Pure.

import type { ApplicationCondition } from '#kinds'

export const loop = 'application controller'

export const nameOf = (item: { readonly kind: string; readonly namespace?: string; readonly name: string }): string =>
  `${item.kind} ${item.namespace === undefined || item.namespace === '' ? '' : `${item.namespace}/`}${item.name}`

export const describe = ({ type, message }: ApplicationCondition): string => `condition ${type}: ${message}`
