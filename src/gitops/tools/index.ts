// The programs that render what plain YAML is not: found or fetched, and run with bounds in a folder of their own.
export { type ChildRequest, runChild } from './child.ts'
export { credentialPrefix } from './credential-variables.ts'
export { createJq, type Jq, type JqPath } from './jq.ts'
export { type Located, type LocateOptions, locateTool, type ToolName } from './locate.ts'
export type { LookingRun } from './looking-run.ts'
export {
  type ClusterView,
  type LookupAnswer,
  type LookupQuestion,
  questionText,
  shownQuestion,
} from './lookup.ts'
export { createLua, type Lua, type LuaAnswer, type LuaScript } from './lua/index.ts'
export { moduleThread } from './module-thread.ts'
export { findProgram, isNamed } from './program.ts'
export type { ChartAccess, ChartRequest } from './pull.ts'
export { createThread, type Thread } from './thread.ts'
export { ToolFault } from './tool-fault.ts'
export {
  type CommandRun,
  createTools,
  type ToolRun,
  type Tools,
  type ToolsOptions,
  type ToolVersions,
} from './tools.ts'
export type { WorkspaceFile } from './workspace.ts'
