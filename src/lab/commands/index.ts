// The commands of scenarios: one line each.

import type { LabCommand } from '../command.ts'
import { advanceCommand } from './advance.ts'
import { applyCommand } from './apply.ts'
import { clusterCommand } from './cluster.ts'
import { commitCommand } from './commit.ts'
import { cordonCommand, uncordonCommand } from './cordon.ts'
import { crashCommand } from './crash.ts'
import { deleteCommand } from './delete.ts'
import { drainCommand } from './drain.ts'
import { explainCommand } from './explain.ts'
import { faultCommand } from './fault.ts'
import { followCommand } from './follow.ts'
import { loseCommand } from './lose.ts'
import { markCommand } from './mark.ts'
import { patchCommand } from './patch.ts'
import { restartCommand } from './restart.ts'
import { rolloutCommand } from './rollout.ts'
import { routeCommand } from './route.ts'
import { scaleCommand } from './scale.ts'
import { setCommand } from './set.ts'
import { showCommand } from './show.ts'
import { startCommand, stopCommand } from './stop.ts'
import { taintCommand } from './taint.ts'
import { tryCommand } from './try.ts'
import { untilCommand } from './until.ts'

export const commands: readonly LabCommand[] = [
  clusterCommand,
  applyCommand,
  deleteCommand,
  scaleCommand,
  setCommand,
  rolloutCommand,
  patchCommand,
  cordonCommand,
  uncordonCommand,
  taintCommand,
  drainCommand,
  advanceCommand,
  untilCommand,
  stopCommand,
  startCommand,
  restartCommand,
  faultCommand,
  crashCommand,
  loseCommand,
  commitCommand,
  followCommand,
  tryCommand,
  markCommand,
  showCommand,
  explainCommand,
  routeCommand,
]
