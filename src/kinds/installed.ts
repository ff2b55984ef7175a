// The CustomResourceDefinitions that every cluster has from its start. A definition of the same name that comes from a
// repository does not replace one of these.

import { applicationDefinition } from './application/index.ts'
import { applicationSetDefinition } from './applicationset/index.ts'
import { appProjectDefinition } from './appproject/index.ts'
import { faultDefinition } from './fault/index.ts'
import type { CustomResourceDefinition } from './generated/types.ts'
import { metricSeriesDefinition } from './metricseries/index.ts'
import { nodeProfileDefinition } from './nodeprofile/index.ts'
import { probeDefinition } from './probe/index.ts'
import { workloadProfileDefinition } from './workloadprofile/index.ts'

export const installedDefinitions: readonly CustomResourceDefinition[] = [
  applicationDefinition,
  applicationSetDefinition,
  appProjectDefinition,
  faultDefinition,
  nodeProfileDefinition,
  workloadProfileDefinition,
  probeDefinition,
  metricSeriesDefinition,
]
