// The commands: one line each.

import type { CommandDefinition } from '../command.ts'
import { apiServerCommand } from './apiserver.ts'
import { appCommand } from './app/index.ts'
import { dashboardCommand } from './dashboard.ts'
import { demoCommand } from './demo.ts'
import { explainCommand } from './explain.ts'
import { labCommand } from './lab/index.ts'
import { checkCommand } from './rehearsal/check.ts'
import { planCommand } from './rehearsal/plan.ts'
import { routeCommand } from './route.ts'
import { upCommand } from './up.ts'
import { versionCommand } from './version.ts'

export const commands: readonly CommandDefinition[] = [
  upCommand,
  demoCommand,
  checkCommand,
  planCommand,
  apiServerCommand,
  dashboardCommand,
  appCommand,
  explainCommand,
  routeCommand,
  labCommand,
  versionCommand,
]
