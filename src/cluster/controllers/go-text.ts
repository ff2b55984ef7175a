// Selectors as Go prints them: some of Kubernetes' messages contain them in this form. Pure.

import { goText } from '#kinds'
import type { LabelSelector } from '#objects'

/** The generated String method of metav1.LabelSelector, for pointers. */
export const goSelector = (selector: LabelSelector | undefined): string =>
  selector === undefined ? 'nil' : goText(selector)
