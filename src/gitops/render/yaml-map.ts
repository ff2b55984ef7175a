// A file of a tool's own (kustomization, chart) as a map, to see what it refers to. What is wrong with it is left to the tool to
// say in its own words.

import { isJsonMap, type JsonObject } from '#objects'
import type { TreeFile } from './tree.ts'
import { DecodeFault, decodeText } from './yaml-stream.ts'
import { parseYamlDocument, YamlFault } from './yaml-value.ts'

/** Undefined for what is no file, no YAML or no map. */
export async function readYamlMap(file: TreeFile | undefined): Promise<JsonObject | undefined> {
  if (file === undefined) return undefined
  try {
    const value = parseYamlDocument(decodeText(await file.read()))
    return isJsonMap(value) ? value : undefined
  } catch (error) {
    if (error instanceof YamlFault || error instanceof DecodeFault) return undefined
    throw error
  }
}
