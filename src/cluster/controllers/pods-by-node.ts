// Pods by the node that they are bound to: the index of every loop that looks after nodes.

import { Pod } from '#kinds'
import type { Index } from '#reconcile'

export const podsByNode: Index<Pod> = {
  name: 'node',
  kind: Pod,
  values: ({ spec }) => (spec.nodeName === undefined || spec.nodeName === '' ? [] : [spec.nodeName]),
}
