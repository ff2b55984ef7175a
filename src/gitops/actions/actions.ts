// The actions of an object, and what one of them would write: those that come with the house, and users' in Lua. A user's
// replace those of the kind, unless `mergeBuiltinActions` says that they come in addition. Writes nothing.

import { type ActionScripts, type Customizations, customActions } from '#gitops/customizations'
import { type Lua, ToolFault } from '#gitops/tools'
import { type AnyObject, groupOf, type Json } from '#objects'
import type { World } from '#world'
import { ActionFault, type ActionRequest, type Impact, type ResourceAction } from './action.ts'
import type { BuiltInAction } from './built-in/action.ts'
import { builtInActions, offered } from './built-in/built-in.ts'
import { discovered, impactsOf } from './script-answers.ts'

export interface Actions {
  /** By name. Throws ActionFault. */
  list(object: AnyObject, customizations: Customizations): Promise<readonly ResourceAction[]>
  /** What an action would write. Throws ActionFault. */
  plan(object: AnyObject, customizations: Customizations, request: ActionRequest): Promise<readonly Impact[]>
}

export function createActions(world: World, lua: Lua): Actions {
  return new AllActions(world, lua)
}

interface Known {
  readonly scripts: ActionScripts | undefined
  readonly builtIn: readonly BuiltInAction[]
}

class AllActions implements Actions {
  readonly #world: World
  readonly #lua: Lua

  constructor(world: World, lua: Lua) {
    this.#world = world
    this.#lua = lua
  }

  async list(object: AnyObject, customizations: Customizations): Promise<readonly ResourceAction[]> {
    const { scripts, builtIn } = known(object, customizations)
    const own = scripts === undefined ? [] : await this.#discover(scripts, object)
    const names = new Set(own.map(({ name }) => name))
    const others = builtIn.filter(({ name }) => !names.has(name)).map((action) => offered(action, object))
    return [...own, ...others].sort((a, b) => (a.name < b.name ? -1 : 1))
  }

  async plan(
    object: AnyObject,
    customizations: Customizations,
    { action, parameters }: ActionRequest,
  ): Promise<readonly Impact[]> {
    const all = await this.list(object, customizations)
    const chosen = all.find(({ name }) => name === action)
    if (chosen === undefined) throw new ActionFault('invalid', noSuchAction(object, action, all))
    if (chosen.disabled === true)
      throw new ActionFault(
        'disabled',
        `action ${action} is disabled for ${object.kind} ${object.metadata.name} as it is now`,
      )
    const { scripts, builtIn } = known(object, customizations)
    const definition = scripts?.definitions.find(({ name }) => name === action)
    if (scripts !== undefined && definition !== undefined) {
      const value = await this.#run(`${scripts.key} ${action}`, { text: definition.text, name: 'action.lua' }, [
        object,
        parameters,
      ])
      return told(scripts.key, () => impactsOf(value, object))
    }
    const own = builtIn.find(({ name }) => name === action)
    if (own === undefined)
      throw new ActionFault(
        'failed',
        `argocd-cm ${scripts?.key}: discovery.lua offers ${action}, definitions has no such action`,
      )
    const presets = Object.fromEntries((chosen.params ?? []).map(({ name, default: preset = '' }) => [name, preset]))
    return own.run(object, { parameters: { ...presets, ...parameters }, now: this.#world.clock.now() })
  }

  async #discover({ key, discovery }: ActionScripts, object: AnyObject): Promise<readonly ResourceAction[]> {
    const value = await this.#run(key, { text: discovery, name: 'discovery.lua' }, [object, {}])
    return told(key, () => discovered(value))
  }

  /** Actions have no open libraries, as in Argo CD. */
  async #run(
    key: string,
    script: { readonly text: string; readonly name: string },
    [object, parameters]: readonly [AnyObject, Readonly<Record<string, string>>],
  ): Promise<Json> {
    try {
      return (await this.#lua.run({ ...script, openLibs: false }, object as unknown as Json, parameters)).value
    } catch (error) {
      if (!(error instanceof ToolFault)) throw error
      throw new ActionFault('failed', `argocd-cm ${key}: ${error.message}`)
    }
  }
}

function known(object: AnyObject, customizations: Customizations): Known {
  const scripts = customActions(customizations, groupOf(object.apiVersion), object.kind)
  const hasBuiltIn = scripts === undefined || scripts.mergeBuiltinActions
  return { scripts, builtIn: hasBuiltIn ? builtInActions(object) : [] }
}

/** With the key in argocd-cm before whatever is wrong. */
function told<T>(key: string, read: () => T): T {
  try {
    return read()
  } catch (error) {
    if (!(error instanceof ActionFault)) throw error
    throw new ActionFault(error.reason, `argocd-cm ${key}: ${error.message}`)
  }
}

function noSuchAction(object: AnyObject, action: string, all: readonly ResourceAction[]): string {
  const names = all.map(({ name }) => name).join(', ')
  return `${object.kind} ${object.metadata.name} has no action ${action} (it has ${names === '' ? 'none' : names})`
}
