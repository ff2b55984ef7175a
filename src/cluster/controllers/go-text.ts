// Selectors as Go prints them: some of Kubernetes' messages contain them in this form. Pure.

import type { LabelSelector } from '#objects'

/** The generated String method of metav1.LabelSelector. */
export function goSelector(selector: LabelSelector | undefined): string {
  if (selector === undefined) return 'nil'
  const labels = Object.entries(selector.matchLabels ?? {}).sort(([a], [b]) => (a < b ? -1 : 1))
  const expressions = (selector.matchExpressions ?? []).map(
    ({ key, operator, values = [] }) =>
      `LabelSelectorRequirement{Key:${key},Operator:${operator},Values:[${values.join(' ')}],},`,
  )
  return (
    `&LabelSelector{MatchLabels:map[string]string{${labels.map(([key, value]) => `${key}: ${value},`).join('')}},` +
    `MatchExpressions:[]LabelSelectorRequirement{${expressions.join('')}},}`
  )
}
