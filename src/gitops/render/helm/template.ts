// `helm template` over a chart's files, and what it wrote as objects and problems.

import { type LookingRun, ToolFault, type ToolRun, type Tools } from '#gitops/tools'
import type { RenderProblem } from '../directory.ts'
import type { Content } from '../plan.ts'
import { readOutput } from '../tool-output.ts'

export interface Template {
  readonly tools: Tools
  readonly run: ToolRun
  /** The chart's name. */
  readonly chart: string
}

/** A chart that looks nothing up. */
export async function template({ tools, run, chart }: Template): Promise<Content> {
  try {
    return readTemplate(await tools.helm(run), chart)
  } catch (error) {
    if (!(error instanceof ToolFault) || error.reason !== 'refused') throw error
    return { objects: [], problems: [templateProblem(error.message, chart)] }
  }
}

/** What a run that could look things up came to. */
export const readLooking = (run: Exclude<LookingRun, { readonly type: 'asked' }>, chart: string): Content =>
  run.type === 'written'
    ? readTemplate(run.output, chart)
    : { objects: [], problems: [templateProblem(run.fault.message, chart)] }

const readTemplate = (output: string, chart: string): Content =>
  readOutput(output, (document) => sourceOf(document, chart))

/** helm writes which template made a document, below the chart's name. */
function sourceOf(document: string, chart: string): string {
  const source = /^# Source: (.+)$/m.exec(document)?.[1]?.trim() ?? 'Chart.yaml'
  return source.startsWith(`${chart}/`) ? source.slice(chart.length + 1) : source
}

/** `… at (shop/templates/web.yaml:12:24): …` said with its file and place. */
function templateProblem(message: string, chart: string): RenderProblem {
  const text = withoutPlaces(withoutLog(message).replace(/^Error: /, ''))
  const at = /\(?([\w.-]+\/(?:[^\s():]+\/)*templates\/[^\s():]+)(?::(\d+))?(?::(\d+))?\)?/.exec(text)
  const [, file, line, column] = at ?? []
  if (file === undefined) return { file: 'Chart.yaml', message: `helm template: ${text}` }
  const relative = file.startsWith(`${chart}/`) ? file.slice(chart.length + 1) : file
  const place = line === undefined ? {} : { line: Number(line), column: Number(column ?? 1) }
  return { file: relative, ...place, message: `helm template: ${text}` }
}

/** Files of the workspace, named as the Application names them. */
const withoutPlaces = (text: string): string =>
  text
    .replace(/(?:\.\.\/)+source\//g, '')
    .replace(/(?:\.\.\/)+references\//g, '$')
    .replace(/(?:\.\.\/)+given\/values\.yaml/g, 'helm.values')

/** What helm logs on its way, and advice that nobody can take here, are no part of the reason. */
const withoutLog = (message: string): string =>
  message
    .split('\n')
    .filter((line) => !/^level=[A-Z]+ msg=/.test(line) && line !== 'Use --debug flag to render out invalid YAML')
    .join('\n')
    .trim()
