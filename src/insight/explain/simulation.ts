// Which rules decide what the simulated containers of a pod do, as evidence. The node that runs the pod is asked; one that is
// no simulation has no answer.

import { ApiError } from '#api'
import type { Client } from '#client'
import { Pod } from '#kinds'
import type { Finding } from './finding.ts'

export interface Simulation {
  readonly containers: readonly {
    readonly name: string
    /** Field of what it does, and the rule that says it. */
    readonly decided: readonly { readonly field: string; readonly rule: string }[]
  }[]
}

const nodes = { group: '', version: 'v1', resource: 'nodes' }

/** A finding about a pod, with the rules behind what its containers do. */
export async function withRules(client: Client, finding: Finding): Promise<Finding> {
  const [kind, key = ''] = finding.object.split(' ')
  if (kind !== Pod.kind) return finding
  const simulation = await askNode(client, key)
  return simulation === undefined
    ? finding
    : { ...finding, evidence: [...finding.evidence, ...describeSimulation(simulation)] }
}

async function askNode(client: Client, key: string): Promise<Simulation | undefined> {
  const [namespace = '', name = ''] = key.split('/')
  try {
    const { nodeName } = (await client.get(Pod, { namespace, name })).spec
    if (nodeName === undefined) return undefined
    const { body } = await client.request({
      verb: 'get',
      resource: nodes,
      name: nodeName,
      subresource: 'proxy',
      query: { simulation: key },
    })
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

export function describeSimulation({ containers }: Simulation): readonly string[] {
  return containers.flatMap(({ name, decided }) => {
    const byRule = new Map<string, string[]>()
    for (const { field, rule } of decided) byRule.set(rule, [...(byRule.get(rule) ?? []), field])
    const said = [...byRule].map(([rule, fields]) => `${fields.join(', ')} by ${rule}`)
    return said.length === 0 ? [] : [`what container ${name} does is simulated: ${said.join('; ')}`]
  })
}
