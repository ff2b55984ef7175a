// The variables of a plug-in's commands: Argo CD's build environment, and what the Application's own block says. All names
// have a prefix that they cannot lose, so that an Application sets nothing that a program or its loader listens to. Pure.

import type { PluginParameter, PluginSource } from '#kinds'
import { substitute } from '../build-environment.ts'

export class VariableFault extends Error {
  override readonly name = 'VariableFault'
}

type Variables = Readonly<Record<string, string>>

/** `build` is what every application has. Throws VariableFault. */
export function pluginVariables(build: Variables, source: PluginSource | undefined): Variables {
  const all: Record<string, string> = { ...build }
  if (source === undefined) return all
  for (const { name, value } of source.env ?? []) {
    if (name === '' || /[=\0]/.test(name))
      throw new VariableFault(`plugin.env: ${JSON.stringify(name)} cannot be the name of a variable`)
    all[`ARGOCD_ENV_${name}`] = substitute(value, build)
  }
  // As Go writes a list that is not there.
  all['ARGOCD_APP_PARAMETERS'] = JSON.stringify(source.parameters ?? null)
  for (const parameter of source.parameters ?? []) Object.assign(all, parameterVariables(parameter))
  const torn = Object.keys(all).find((name) => all[name]?.includes('\0'))
  if (torn !== undefined)
    throw new VariableFault(`the variable ${torn} of the plug-in would have a zero byte in its value`)
  return all
}

function parameterVariables({ name = '', string, map, array }: PluginParameter): Variables {
  const base = `PARAM_${escaped(name)}`
  const found: Record<string, string> = {}
  if (string !== undefined) found[base] = string
  for (const [key, value] of Object.entries(map ?? {})) found[`${base}_${escaped(key)}`] = value
  for (const [index, value] of (array ?? []).entries()) found[`${base}_${index}`] = value
  return found
}

const escaped = (name: string): string => name.toUpperCase().replace(/[^A-Z0-9_]/g, '_')
