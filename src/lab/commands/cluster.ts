// `cluster nodes=3 cpu=4 memory=8Gi start=TIME scheduler=FILE`: read before the cluster is made, so it can only come first.

import type { LabCommand } from '../command.ts'

export const clusterCommand: LabCommand = {
  name: 'cluster',
  usage: 'nodes=COUNT cpu=AMOUNT memory=AMOUNT pods=COUNT start=TIME scheduler=FILE (the first command)',
  run: async () => [],
}
