// The health rule of a custom resource by group and kind: one for exactly that kind, else one for all kinds of a group
// (`group/_`) or of its subgroups (`_.group/_`), as Argo CD's folders are named. Found once for each kind.

import { type HealthRule, unknown } from '../verdict.ts'
import { applicationTable } from './applications.ts'
import { argoTable } from './argo.ts'
import { cloudTable } from './clouds.ts'
import { clusterTable } from './cluster-api.ts'
import { complianceTable } from './compliance.ts'
import { computeTable } from './compute.ts'
import { crossplaneTable } from './crossplane.ts'
import { dataStoreTable } from './data-stores.ts'
import { databaseTable } from './databases.ts'
import { deliveryTable } from './delivery.ts'
import { fluxTable } from './flux.ts'
import { gatewayApiTable } from './gateway-api.ts'
import { kruiseTable } from './kruise.ts'
import { messagingTable } from './messaging.ts'
import { monitoringTable } from './monitoring.ts'
import { numaflowTable } from './numaflow.ts'
import { observabilityTable } from './observability.ts'
import { promoterTable } from './promoter.ts'
import { evaluate, type Rule, type RuleTable } from './rule.ts'
import { secretTable } from './secrets.ts'
import { serverlessTable } from './serverless.ts'
import { threeScaleTable } from './three-scale.ts'
import { trafficTable } from './traffic.ts'
import { volumeTable } from './volumes.ts'

const tables: readonly RuleTable[] = [
  applicationTable,
  argoTable,
  cloudTable,
  clusterTable,
  complianceTable,
  computeTable,
  crossplaneTable,
  dataStoreTable,
  databaseTable,
  deliveryTable,
  fluxTable,
  gatewayApiTable,
  kruiseTable,
  messagingTable,
  monitoringTable,
  numaflowTable,
  observabilityTable,
  promoterTable,
  secretTable,
  serverlessTable,
  threeScaleTable,
  trafficTable,
  volumeTable,
]

const rules: ReadonlyMap<string, Rule | HealthRule> = new Map(tables.flatMap((table) => Object.entries(table)))
/** `group/Kind` of every rule. */
export const ruleNames: readonly string[] = tables.flatMap((table) => Object.keys(table))

const found = new Map<string, HealthRule | undefined>()

/** Undefined for a kind of which nothing is known. */
export function customRule(group: string, kind: string): HealthRule | undefined {
  const name = `${group}/${kind}`
  if (found.has(name)) return found.get(name)
  const rule = rules.get(name) ?? rules.get(`${group}/_`) ?? ruleOfParent(group)
  const health = rule && guarded(typeof rule === 'function' ? rule : (object) => evaluate(rule, object))
  found.set(name, health)
  return health
}

function ruleOfParent(group: string): Rule | HealthRule | undefined {
  for (let dot = group.indexOf('.'); dot !== -1; dot = group.indexOf('.', dot + 1)) {
    const rule = rules.get(`_${group.slice(dot)}/_`)
    if (rule !== undefined) return rule
  }
  return undefined
}

/** Nobody promises that a status has the shape that its rule knows. */
const guarded =
  (rule: HealthRule): HealthRule =>
  (object) => {
    try {
      return rule(object)
    } catch (error) {
      if (!(error instanceof TypeError)) throw error
      return unknown(['status', undefined, `cannot be read: ${error.message}`], 'The status has an unexpected shape')
    }
  }
