// Whether the priority level that a FlowSchema names is there: its condition Dangling, written after either has changed
// (apiserver/pkg/util/flowcontrol/apf_controller.go).

import { FlowSchema, type FlowSchemaCondition, PriorityLevelConfiguration } from '#kinds'
import type { AnyObject } from '#objects'
import type { Core } from '../core.ts'
import type { HookTable } from '../hooks.ts'
import { rewrite } from '../rewrite.ts'

/** The schema with the condition that it should have; the very one where it has it. */
export function decideDangling(schema: FlowSchema, levels: ReadonlySet<string>, now: string): FlowSchema {
  const level = schema.spec.priorityLevelConfiguration.name
  const named = `This FlowSchema references the PriorityLevelConfiguration object named ${JSON.stringify(level)}`
  const wanted = levels.has(level)
    ? { status: 'False', reason: 'Found', message: `${named} and it exists` }
    : { status: 'True', reason: 'NotFound', message: `${named} but there is no such object` }
  const conditions = schema.status?.conditions ?? []
  const old = conditions.find(({ type }) => type === 'Dangling')
  if (old?.status === wanted.status && old.reason === wanted.reason && old.message === wanted.message) return schema
  const fresh: FlowSchemaCondition = { type: 'Dangling', lastTransitionTime: now, ...wanted }
  const next = old === undefined ? [...conditions, fresh] : conditions.map((one) => (one === old ? fresh : one))
  return { ...schema, status: { ...schema.status, conditions: next } }
}

export function judgeSchemas(core: Core): void {
  const served = core.registry.find(FlowSchema)
  const levels = core.registry.find(PriorityLevelConfiguration)
  if (served === undefined || levels === undefined) return
  const names = new Set(core.store.list(levels.bucket).entries.map(({ key }) => key))
  for (const entry of core.store.list(served.bucket).entries) {
    const judged: unknown = decideDangling(entry.value as unknown as FlowSchema, names, core.timestamp())
    rewrite(core, served, entry, judged as AnyObject)
  }
}

/** From now on; what was written before is judged. */
export function followSchemas(core: Core, hooks: HookTable): void {
  let due = false
  const soon = (): void => {
    if (due) return
    due = true
    core.world.clock.soon('flow control', () => {
      due = false
      judgeSchemas(core)
    })
  }
  for (const kind of [FlowSchema, PriorityLevelConfiguration]) {
    const served = core.registry.find(kind)
    if (served !== undefined) hooks.add(served.bucket, { wrote: soon })
  }
}
