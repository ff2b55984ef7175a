// Lua for users' scripts.
export { createLua, type Lua, type LuaAnswer, type LuaScript } from './lua.ts'
