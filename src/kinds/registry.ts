// The rules of all kinds that have some of their own: one folder a kind, one line here.

import type { KindRules } from './kind.ts'

export const kindRules: readonly KindRules<never>[] = []
