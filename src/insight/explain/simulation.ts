// Which rules decide what the simulated containers of a pod do, and what its node is like, as evidence. The node is asked;
// one that is no simulation has no answer.

import { ApiError } from '#api'
import type { Client } from '#client'
import { Node, Pod } from '#kinds'
import type { Finding } from './finding.ts'

interface Decided {
  /** A field of what it does or is like, and the rule that says it. */
  readonly field: string
  readonly rule: string
}

export interface Simulation {
  readonly containers: readonly { readonly name: string; readonly decided: readonly Decided[] }[]
  /** Of the node: of a pod, what concerns it. */
  readonly node?: readonly Decided[]
}

const nodes = { group: '', version: 'v1', resource: 'nodes' }

/** A finding about a pod or a node, with the rules behind it. */
export async function withRules(client: Client, finding: Finding): Promise<Finding> {
  const [kind, key = ''] = finding.object.split(' ')
  const isPod = kind === Pod.kind
  if (!isPod && kind !== Node.kind) return finding
  const nodeName = isPod ? await nodeOf(client, key) : key
  const simulation = nodeName === undefined ? undefined : await askNode(client, nodeName, isPod ? key : '')
  return simulation === undefined
    ? finding
    : { ...finding, evidence: [...finding.evidence, ...describeSimulation(simulation, nodeName)] }
}

async function nodeOf(client: Client, key: string): Promise<string | undefined> {
  const [namespace = '', name = ''] = key.split('/')
  try {
    return (await client.get(Pod, { namespace, name })).spec.nodeName
  } catch (error) {
    if (error instanceof ApiError) return undefined
    throw error
  }
}

/** `podKey`: empty for the node itself. */
async function askNode(client: Client, name: string, podKey: string): Promise<Simulation | undefined> {
  try {
    const query = { simulation: podKey }
    const { body } = await client.request({ verb: 'get', resource: nodes, name, subresource: 'proxy', query })
    return body.type === 'text' ? (JSON.parse(body.text) as Simulation) : simulationIn(body)
  } catch (error) {
    // A node that is no simulation, or that we may not ask.
    if (error instanceof ApiError || error instanceof SyntaxError) return undefined
    throw error
  }
}

/** Over HTTP, JSON comes as an object. */
const simulationIn = (body: { readonly type: string; readonly object?: unknown }): Simulation | undefined =>
  body.type === 'object' ? (body.object as Simulation) : undefined

export function describeSimulation({ containers, node = [] }: Simulation, nodeName = ''): readonly string[] {
  const ofContainers = containers.map(({ name, decided }) => [`what container ${name} does`, said(decided)] as const)
  const all = [...ofContainers, [`what node ${nodeName} is like`, said(node)] as const]
  return all.flatMap(([what, rules]) => (rules === '' ? [] : [`${what} is simulated: ${rules}`]))
}

function said(decided: readonly Decided[]): string {
  const byRule = new Map<string, string[]>()
  for (const { field, rule } of decided) byRule.set(rule, [...(byRule.get(rule) ?? []), field])
  return [...byRule].map(([rule, fields]) => `${fields.join(', ')} by ${rule}`).join('; ')
}
