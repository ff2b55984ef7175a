// Selectors as text, as `kubectl get` shows them: `app=a,tier in (x,y)`.

import type { LabelSelector } from '#objects'
import { isEmptySelector, isUsableSelector } from './validate.ts'

const operators: Readonly<Record<string, string>> = { In: 'in', NotIn: 'notin' }

/** metav1.FormatLabelSelector: requirements in order of their keys. */
export function formatSelector(selector: LabelSelector | null | undefined): string {
  if (selector === undefined || selector === null || isEmptySelector(selector)) return '<none>'
  if (!isUsableSelector(selector)) return '<error>'
  const labels = Object.entries(selector.matchLabels ?? {}).map(([key, value]) => ({ key, text: `${key}=${value}` }))
  const expressions = (selector.matchExpressions ?? []).map(({ key, operator, values = [] }) => {
    if (operator === 'Exists') return { key, text: key }
    if (operator === 'DoesNotExist') return { key, text: `!${key}` }
    return { key, text: `${key} ${operators[operator] ?? operator} (${[...values].sort().join(',')})` }
  })
  return [...labels, ...expressions]
    .sort((a, b) => (a.key < b.key ? -1 : a.key > b.key ? 1 : 0))
    .map((part) => part.text)
    .join(',')
}

/** labels.FormatLabels: a map of labels, sorted as it is written: `a/b=x` stands before `a=x`. */
export function formatLabels(labels: Readonly<Record<string, string>> | undefined): string {
  const text = Object.entries(labels ?? {})
    .map(([key, value]) => `${key}=${value}`)
    .sort()
    .join(',')
  return text === '' ? '<none>' : text
}

/** As Go's String method of LabelSelector prints it, which one table shows. */
export function goText({ matchLabels = {}, matchExpressions = [] }: LabelSelector): string {
  const labels = Object.entries(matchLabels)
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([key, value]) => `${key}: ${value},`)
  const expressions = matchExpressions.map(
    ({ key, operator, values = [] }) =>
      `LabelSelectorRequirement{Key:${key},Operator:${operator},Values:[${values.join(' ')}],},`,
  )
  return `&LabelSelector{MatchLabels:map[string]string{${labels.join('')}},MatchExpressions:[]LabelSelectorRequirement{${expressions.join('')}},}`
}
