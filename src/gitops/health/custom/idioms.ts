// Rules that many kinds share.

import type { Rule } from './rule.ts'

/** What the first Ready condition that is decided says. */
export const byReady = (waiting: string): Rule => [
  { conditions: { 'Ready=False': ['Degraded'], 'Ready=True': ['Healthy'] } },
  { answer: ['Progressing', waiting] },
]
