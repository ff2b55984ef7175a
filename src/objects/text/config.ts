// Reads the text of a configuration file, one document of YAML or JSON, field by field, and says of each fault in which line
// it stands.

import { isMap, isNode, isScalar, isSeq, LineCounter } from 'yaml'
import { type ConfigFault, Fields } from './fields.ts'
import { SyntaxFault } from './parsed.ts'
import { parseYaml } from './yaml.ts'
import { composeYaml } from './yaml-compose.ts'

export interface LocatedFault extends ConfigFault {
  /** Absent where the message itself says it. */
  readonly line?: number
}

export type ReadConfig<T> =
  | { readonly config: T; readonly faults?: undefined }
  | { readonly config?: undefined; readonly faults: readonly LocatedFault[] }

/** What `read` makes of the document, if it finds no fault. */
export function readConfig<T>(text: string, read: (fields: Fields) => T): ReadConfig<T> {
  const faults: ConfigFault[] = []
  try {
    const { value, strictErrors } = parseYaml(text)
    if (strictErrors.length > 0) return { faults: strictErrors.map((message) => ({ field: '', message })) }
    const fields = new Fields(value, '', faults)
    const config = faults.length === 0 ? read(fields) : undefined
    if (config !== undefined && faults.length === 0) return { config }
  } catch (error) {
    if (!(error instanceof SyntaxFault)) throw error
    return { faults: [{ field: '', message: error.message }] }
  }
  const lineOf = linesOf(text)
  return { faults: faults.map((fault) => ({ ...fault, line: lineOf(fault.field) })) }
}

/** Faults as lines: `scheduler.yaml:4: profiles[0].schedulerName is required`. */
export const describeFaults = (file: string, faults: readonly LocatedFault[]): string =>
  faults
    .map(({ field, message, line }) => {
      const place = line === undefined ? file : `${file}:${line}`
      return `${place}: ${field === '' ? '' : `${field} `}${message}`
    })
    .join('\n')

/** The line of a field, or of the nearest one around it that is there. */
function linesOf(text: string): (field: string) => number {
  const lineCounter = new LineCounter()
  const [document] = composeYaml(text, { version: '1.1', uniqueKeys: false, prettyErrors: false, lineCounter })
  const lineAt = (node: unknown): number | undefined => {
    const start = isNode(node) ? node.range?.[0] : undefined
    return start === undefined ? undefined : lineCounter.linePos(start).line
  }
  return (field) => {
    let node: unknown = document?.contents
    let line = lineAt(node) ?? 1
    for (const part of field.split(/[.[\]]+/).filter((one) => one !== '')) {
      if (isMap(node)) {
        const pair = node.items.find(({ key }) => isScalar(key) && String(key.value) === part)
        if (pair === undefined) return line
        line = lineAt(pair.key) ?? line
        node = pair.value
      } else if (isSeq(node)) {
        node = node.items[Number(part)]
        line = lineAt(node) ?? line
      } else return line
    }
    return line
  }
}
