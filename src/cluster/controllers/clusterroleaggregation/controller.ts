// Fills ClusterRoles that have an aggregation rule with the rules of the roles that it selects.
// Reads: ClusterRoles.  Writes: ClusterRoles (rules, by server-side apply).

import { ClusterRole, type PolicyRule } from '#kinds'
import { isEqual, matchesLabels } from '#objects'
import { type Cache, done, type Kit, type Outcome, watching } from '#reconcile'
import { defineController } from '../define.ts'

const fieldManager = 'clusterrole-aggregation-controller'

export const clusterRoleAggregationController = defineController({
  name: 'clusterroleaggregation',
  account: fieldManager,
  reconciles: ClusterRole,
  watches: [watching(ClusterRole, aggregatesOf)],
  reconcile,
})

/** Any role may be a part of any aggregate: which ones it fits now or did before. */
function* aggregatesOf(role: ClusterRole, old: ClusterRole | undefined, cache: Cache): Iterable<string> {
  if (role.aggregationRule !== undefined) yield role.metadata.name ?? ''
  if (old !== undefined && old.rules === role.rules && old.metadata.labels === role.metadata.labels) return
  for (const other of cache.list(ClusterRole))
    if (selects(other, role) || (old !== undefined && selects(other, old))) yield other.metadata.name ?? ''
}

const selects = ({ aggregationRule }: ClusterRole, part: ClusterRole): boolean =>
  aggregationRule?.clusterRoleSelectors?.some((selector) => matchesLabels(selector, part.metadata.labels ?? {})) ===
  true

/** The rules of what each selector finds, in order of the names, each rule once. */
function aggregatedRules(role: ClusterRole, all: readonly ClusterRole[]): readonly PolicyRule[] {
  const others = all
    .filter((part) => part.metadata.name !== role.metadata.name)
    .sort((a, b) => ((a.metadata.name ?? '') < (b.metadata.name ?? '') ? -1 : 1))
  const rules: PolicyRule[] = []
  for (const selector of role.aggregationRule?.clusterRoleSelectors ?? [])
    for (const part of others.filter(({ metadata }) => matchesLabels(selector, metadata.labels ?? {})))
      for (const rule of part.rules ?? []) if (!rules.some((known) => isEqual(known, rule))) rules.push(rule)
  return rules
}

async function reconcile(name: string, kit: Kit): Promise<Outcome> {
  const role = kit.cache.get(ClusterRole, name)
  if (role?.aggregationRule === undefined) return done()
  const rules = aggregatedRules(role, kit.cache.list(ClusterRole))
  if (isEqual(rules, role.rules ?? [])) return done()
  // No rules are left out of the configuration, which takes back what was applied before, and nobody else's.
  const said = rules.length === 0 ? {} : { rules }
  const applied: ClusterRole = { apiVersion: role.apiVersion, kind: role.kind, metadata: { name }, ...said }
  await kit.client.apply(ClusterRole, applied, { fieldManager, force: true })
  return done()
}
