// Pods by the node that they are bound to: one index for every loop that looks after nodes.

import { Pod } from '#kinds'
import type { Index } from './cache.ts'

export const podsByNode: Index<Pod> = {
  name: 'node',
  kind: Pod,
  values: ({ spec }) => (spec.nodeName === undefined || spec.nodeName === '' ? [] : [spec.nodeName]),
}
