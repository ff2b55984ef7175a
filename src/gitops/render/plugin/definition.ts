// Config management plug-ins as the operator names them: documents of Argo CD's kind ConfigManagementPlugin in a file of his.
// What is not in that file is never run.

import { z } from 'zod'
import { compilePathPattern, PatternFault } from '#gitops/source'
import { isNamed } from '#gitops/tools'
import type { Json } from '#objects'
import { splitDocuments } from '../yaml-stream.ts'
import { parseYamlDocument, YamlFault } from '../yaml-value.ts'

/** A program and its arguments. */
export type Words = readonly string[]

export type Discovery =
  /** A pattern of files and folders, from the source's path. */
  | { readonly type: 'pattern'; readonly field: string; readonly pattern: string }
  /** It is the plug-in's source if this ends well and says anything. */
  | { readonly type: 'command'; readonly words: Words }

export interface ParameterAnnouncement {
  readonly name?: string | undefined
  readonly title?: string | undefined
  readonly tooltip?: string | undefined
  readonly required?: boolean | undefined
  readonly itemType?: string | undefined
  readonly collectionType?: string | undefined
  readonly string?: string | undefined
  readonly array?: readonly string[] | undefined
  readonly map?: Readonly<Record<string, string>> | undefined
}

export interface Plugin {
  /** As Applications name it: with its version, where it has one. */
  readonly name: string
  readonly init?: Words
  readonly generate: Words
  readonly discovery?: Discovery
  readonly announced: readonly ParameterAnnouncement[]
  /** Prints more announcements. */
  readonly announce?: Words
  readonly preserveFileMode: boolean
}

export interface ReadPlugins {
  readonly plugins: readonly Plugin[]
  /** What is wrong, each with its document and field. */
  readonly faults: readonly string[]
}

const command = z.strictObject({ command: z.array(z.string()).optional(), args: z.array(z.string()).optional() })

export const announcements = z.array(
  z.object({
    name: z.string().optional(),
    title: z.string().optional(),
    tooltip: z.string().optional(),
    required: z.boolean().optional(),
    itemType: z.string().optional(),
    collectionType: z.string().optional(),
    string: z.string().optional(),
    array: z.array(z.string()).optional(),
    map: z.record(z.string(), z.string()).optional(),
  }),
)

const document = z.strictObject({
  apiVersion: z.literal('argoproj.io/v1alpha1'),
  kind: z.literal('ConfigManagementPlugin'),
  metadata: z.looseObject({ name: z.string().regex(/^[^/\s\0]+$/, 'a name without spaces and slashes is expected') }),
  spec: z.strictObject({
    version: z
      .string()
      .regex(/^[^/\s\0]*$/, 'a version without spaces and slashes is expected')
      .optional(),
    init: command.optional(),
    generate: command,
    discover: z
      .strictObject({
        fileName: z.string().optional(),
        find: command.extend({ glob: z.string().optional() }).optional(),
      })
      .optional(),
    parameters: z.strictObject({ static: announcements.optional(), dynamic: command.optional() }).optional(),
    preserveFileMode: z.boolean().optional(),
    provideGitCreds: z
      .literal(false, 'plug-ins are not given the credentials of repositories here; leave it out')
      .optional(),
    // Settings of a server that is not there; plug-ins run side by side, each in a folder of its own.
    allowConcurrency: z.boolean().optional(),
    lockRepo: z.boolean().optional(),
  }),
})
type Document = z.output<typeof document>

/** All plug-ins of a file. */
export function readPlugins(text: string): ReadPlugins {
  const plugins: Plugin[] = []
  const faults: string[] = []
  for (const [index, each] of splitDocuments(text).entries()) {
    const read = each.problem === undefined ? readDocument(each.text) : { faults: [each.problem] }
    if ('faults' in read) faults.push(...read.faults.map((fault) => `document ${index + 1}: ${fault}`))
    else if (plugins.some(({ name }) => name === read.name))
      faults.push(`document ${index + 1}: metadata.name: there are two plug-ins ${read.name}`)
    else plugins.push(read)
  }
  if (plugins.length === 0 && faults.length === 0) faults.push('there is no plug-in in it')
  return { plugins, faults }
}

function readDocument(text: string): Plugin | { readonly faults: readonly string[] } {
  let value: Json
  try {
    value = parseYamlDocument(text)
  } catch (error) {
    if (error instanceof YamlFault) return { faults: [error.message] }
    throw error
  }
  const result = document.safeParse(value)
  if (!result.success)
    return {
      faults: result.error.issues.map(({ path, message }) =>
        [path.join('.'), message].filter((part) => part !== '').join(': '),
      ),
    }
  const faults = [...commandFaults(result.data.spec), ...patternFaults(discoveryOf(result.data.spec))]
  return faults.length > 0 ? { faults } : toPlugin(result.data)
}

function toPlugin({ metadata: { name }, spec }: Document): Plugin {
  const { version = '', parameters, preserveFileMode = false } = spec
  const init = wordsOf(spec.init)
  const announce = wordsOf(parameters?.dynamic)
  const discovery = discoveryOf(spec)
  return {
    name: version === '' ? name : `${name}-${version}`,
    ...(init.length === 0 ? {} : { init }),
    generate: wordsOf(spec.generate),
    ...(discovery === undefined ? {} : { discovery }),
    announced: parameters?.static ?? [],
    ...(announce.length === 0 ? {} : { announce }),
    preserveFileMode,
  }
}

const wordsOf = (given: z.output<typeof command> | undefined): Words => {
  const { command: words = [], args = [] } = given ?? {}
  return words.length === 0 ? [] : [...words, ...args]
}

/** As in Argo CD the first of the three counts. */
function discoveryOf({ discover }: Document['spec']): Discovery | undefined {
  const { fileName = '', find } = discover ?? {}
  if (fileName !== '') return { type: 'pattern', field: 'discover.fileName', pattern: fileName }
  const { glob = '', ...given } = find ?? {}
  if (glob !== '') return { type: 'pattern', field: 'discover.find.glob', pattern: glob }
  const words = wordsOf(given)
  return words.length === 0 ? undefined : { type: 'command', words }
}

function commandFaults(spec: Document['spec']): readonly string[] {
  const commands: readonly (readonly [string, z.output<typeof command> | undefined])[] = [
    ['spec.init', spec.init],
    ['spec.generate', spec.generate],
    ['spec.discover.find', spec.discover?.find],
    ['spec.parameters.dynamic', spec.parameters?.dynamic],
  ]
  const faults: string[] = []
  for (const [field, given] of commands) {
    const [program] = given?.command ?? []
    if (program === undefined) {
      if (field === 'spec.generate') faults.push('spec.generate.command: the command that prints manifests is missing')
      else if ((given?.args ?? []).length > 0) faults.push(`${field}: there are args, and no command`)
    } else if (!isNamed(program))
      faults.push(
        `${field}.command: ${JSON.stringify(program)} would be a file of the repository; give the name of a program on PATH or its whole path`,
      )
    else if (wordsOf(given).some((word) => word.includes('\0')))
      faults.push(`${field}: a zero byte cannot be part of a command`)
  }
  return faults
}

function patternFaults(discovery: Discovery | undefined): readonly string[] {
  if (discovery?.type !== 'pattern') return []
  const { field, pattern } = discovery
  if (pattern.split('/').includes('..'))
    return [`spec.${field}: ${pattern} leads out of the source's path, and only what is below it is looked at`]
  try {
    compilePathPattern(pattern)
    return []
  } catch (error) {
    if (error instanceof PatternFault) return [`spec.${field}: ${error.message}`]
    throw error
  }
}

/** What a plug-in runs, with the field that says so. */
export const commandsOf = (plugin: Plugin): readonly { readonly field: string; readonly words: Words }[] => [
  ...(plugin.init === undefined ? [] : [{ field: 'spec.init', words: plugin.init }]),
  { field: 'spec.generate', words: plugin.generate },
  ...(plugin.discovery?.type === 'command' ? [{ field: 'spec.discover.find', words: plugin.discovery.words }] : []),
  ...(plugin.announce === undefined ? [] : [{ field: 'spec.parameters.dynamic', words: plugin.announce }]),
]
