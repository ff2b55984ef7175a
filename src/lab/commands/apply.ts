// `apply`: objects from its body, a file or a folder, by server-side apply as kubectl does it. `--times=N` applies the
// body N times, with `{n}` counting from 1; `--as=NAME` under another field manager.

import { isNotFound } from '#api'
import type { Client } from '#client'
import type { Kind } from '#kinds'
import type { AnyObject } from '#objects'
import { type CommandCall, type LabCommand, namespaceOf } from '../command.ts'
import type { Lab } from '../lab.ts'
import { parseObjects, readObjects } from '../manifest.ts'
import { UsageError } from '../scenario-error.ts'
import { parseCount } from '../words.ts'

export const applyCommand: LabCommand = {
  name: 'apply',
  usage: '[FILE|FOLDER | body] [-n NAMESPACE] [--times=COUNT] [--as=MANAGER]',
  async run(lab, call) {
    const times = call.options.get('times')
    if (times === undefined) return (await applyAll(lab, call, objectsOf(lab, call))).map(({ text }) => text)
    const results: Applied[] = []
    for (let n = 1; n <= parseCount(times, '--times'); n += 1)
      results.push(...(await applyAll(lab, call, parseObjects(call.body.replaceAll('{n}', String(n))))))
    return summary(results)
  },
}

interface Applied {
  readonly what: string
  readonly text: string
}

function objectsOf({ folder }: Lab, { words, body }: CommandCall): readonly AnyObject[] {
  const [path] = words
  if (path === undefined && body === '') throw new UsageError('give a path or indented YAML below')
  return path === undefined ? parseObjects(body) : readObjects(folder, path)
}

async function applyAll(lab: Lab, call: CommandCall, objects: readonly AnyObject[]): Promise<readonly Applied[]> {
  const results: Applied[] = []
  for (const object of objects) {
    const group = object.apiVersion?.includes('/') === true ? `.${object.apiVersion.split('/')[0]}` : ''
    const kind = await lab.kindNamed(`${object.kind?.toLowerCase() ?? ''}${group}`)
    const namespace = object.metadata.namespace ?? namespaceOf(call)
    const placed = kind.namespaced ? { ...object, metadata: { ...object.metadata, namespace } } : object
    const manager = call.options.get('as') ?? 'kubectl'
    const outcome = await lab.ask((client) => applyOne(client, kind, placed, manager))
    const type = `${object.kind?.toLowerCase() ?? ''}${group}`
    results.push({ what: `${type} ${outcome}`, text: `${type}/${object.metadata.name ?? ''} ${outcome}` })
  }
  return results
}

async function applyOne(client: Client, kind: Kind, object: AnyObject, manager: string): Promise<string> {
  const { namespace, name = '' } = object.metadata
  const ref = { ...(namespace === undefined ? {} : { namespace }), name }
  const before = await client.get(kind, ref).catch((error: unknown) => {
    if (isNotFound(error)) return undefined
    throw error
  })
  const after = await client.apply(kind, object, { fieldManager: manager, force: true })
  if (before === undefined) return 'created'
  return before.metadata.resourceVersion === after.metadata.resourceVersion ? 'unchanged' : 'configured'
}

function summary(results: readonly Applied[]): readonly string[] {
  const counts = new Map<string, number>()
  for (const { what } of results) counts.set(what, (counts.get(what) ?? 0) + 1)
  return [...counts].map(([what, count]) => `${what} (${count} times)`)
}
