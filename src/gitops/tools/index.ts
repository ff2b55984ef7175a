// The programs that render what plain YAML is not: found or fetched, and run with bounds in a folder of their own.
export { type ChildRequest, runChild } from './child.ts'
export { createJq, type Jq, type JqPath } from './jq.ts'
export { type Located, type LocateOptions, locateTool, type ToolName } from './locate.ts'
export { createLua, type Lua, type LuaAnswer, type LuaScript } from './lua/index.ts'
export type { ChartAccess, ChartRequest } from './pull.ts'
export { ToolFault } from './tool-fault.ts'
export { createTools, type ToolRun, type Tools, type ToolsOptions } from './tools.ts'
export type { WorkspaceFile } from './workspace.ts'
