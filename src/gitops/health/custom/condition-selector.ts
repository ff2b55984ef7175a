// Which condition is meant: `Ready`, `Ready=True`, `Ready!=True`, `Ready=False(Timeout|Failed)`, `*(UpdateFailed)`,
// `Ready(!Creating)` for any other reason, `Ready=True(Done)"All well"` for exactly this message.

export interface ConditionSelector {
  /** `*` for any. */
  readonly type: string
  readonly status?: string
  readonly negated: boolean
  readonly reasons?: readonly string[]
  readonly isOtherReason: boolean
  readonly message?: string
}

const parsed = new Map<string, ConditionSelector>()

export function selectorOf(text: string): ConditionSelector {
  const known = parsed.get(text)
  if (known !== undefined) return known
  const parts = /^([^=!("]+)(?:(!?=)([^("]+))?(?:\((!?)([^)]*)\))?(?:"([^"]*)")?$/.exec(text)
  if (parts === null)
    throw new Error(`"${text}" is not a selector of conditions: want Type, Type=Status or Type(Reason)`)
  const [, type = '', sign, status, other, reasons, message] = parts
  const selector: ConditionSelector = {
    type,
    negated: sign === '!=',
    isOtherReason: other === '!',
    ...(status === undefined ? {} : { status }),
    ...(reasons === undefined ? {} : { reasons: reasons.split('|') }),
    ...(message === undefined ? {} : { message }),
  }
  parsed.set(text, selector)
  return selector
}

export function matches(selector: ConditionSelector, condition: unknown): boolean {
  if (typeof condition !== 'object' || condition === null) return false
  const { type, status, reason, message } = condition as Readonly<Record<string, unknown>>
  if (selector.type !== '*' && selector.type !== type) return false
  if (selector.status !== undefined && (selector.status === status) === selector.negated) return false
  if (selector.message !== undefined && selector.message !== message) return false
  return selector.reasons === undefined || selector.reasons.includes(String(reason)) !== selector.isOtherReason
}
