// Checks the validations of a policy against each kind that it is about, as far as it names them
// (apiserver/pkg/admission/plugin/policy/validating/typechecking.go). Pure.

import {
  type CelType,
  compileCel,
  declaredKind,
  type ExpressionWarning,
  type RuleWithOperations,
  requestEnvironment,
  type ValidatingAdmissionPolicy,
  variableType,
} from '#kinds'
import type { KnownKind, KnownKinds } from './known-kinds.ts'

/** Of one rule of a policy. */
const maxKinds = 10

interface CheckedKind {
  readonly name: string
  readonly object: CelType
}

export function decideWarnings({ spec = {} }: ValidatingAdmissionPolicy, known: KnownKinds): ExpressionWarning[] {
  const kinds = kindsToCheck(spec.matchConstraints?.resourceRules ?? [], known).flatMap((kind) => {
    const object = typeOfKind(kind, known)
    return object === undefined ? [] : [{ name: `${kind.group}/${kind.version}, Kind=${kind.kind}`, object }]
  })
  const params = spec.paramKind === undefined ? undefined : typeOfKind(paramsOf(spec.paramKind), known)
  const warnings: ExpressionWarning[] = []
  const check = (expression: string, fieldRef: string): void => {
    const told = kinds.flatMap((kind) => {
      const faults = faultsFor(expression, kind, { params, variables: spec.variables ?? [] })
      return faults === undefined ? [] : [`${kind.name}: ${faults}\n`]
    })
    if (told.length > 0) warnings.push({ fieldRef, warning: told.join('\n') })
  }
  spec.validations?.forEach(({ expression, messageExpression = '' }, i) => {
    check(expression, `spec.validations[${i}].expression`)
    if (messageExpression !== '') check(messageExpression, `spec.validations[${i}].messageExpression`)
  })
  return warnings
}

interface PolicyNames {
  readonly params: CelType | undefined
  readonly variables: readonly { readonly name: string; readonly expression: string }[]
}

/** Variables are of the types that they have for this kind; of one that is wrong itself, nothing is known. */
function faultsFor(
  expression: string,
  { object }: CheckedKind,
  { params, variables }: PolicyNames,
): string | undefined {
  const types = new Map<string, CelType>()
  const environment = () =>
    requestEnvironment(
      { object, variables: types, hasRequestResource: false, ...(params && { params }) },
      { isStored: true },
    )
  for (const variable of variables) {
    const compiled = compileCel(variable.expression, environment())
    types.set(variable.name, variableType(compiled.ok ? compiled.program.type : undefined))
  }
  const compiled = compileCel(expression, environment())
  return compiled.ok ? undefined : compiled.faults
}

function typeOfKind(kind: KnownKind, known: KnownKinds): CelType | undefined {
  const schema = known.schemaOf(kind)
  return schema && declaredKind(schema, kind.kind)
}

function paramsOf({ apiVersion = '', kind = '' }: { readonly apiVersion?: string; readonly kind?: string }): KnownKind {
  const [group, version] = apiVersion.includes('/') ? apiVersion.split('/', 2) : ['', apiVersion]
  return { group: group ?? '', version: version ?? '', kind }
}

/** In the order of their names; what is asked for with `*` is not looked at. */
export function kindsToCheck(rules: readonly RuleWithOperations[], known: KnownKinds): readonly KnownKind[] {
  const found = new Map<string, KnownKind>()
  for (const rule of rules) {
    let count = 0
    for (const { group, version, resource } of namedResources(rule)) {
      const kind = known.ofResource(group, version, resource)
      if (kind === undefined) continue
      found.set(`${kind.group}/${kind.version}/${kind.kind}`, kind)
      count += 1
      if (count === maxKinds) return sorted(found)
    }
  }
  return sorted(found)
}

interface NamedResource {
  readonly group: string
  readonly version: string
  readonly resource: string
}

function* namedResources(rule: RuleWithOperations): Generator<NamedResource> {
  const { apiGroups = [], apiVersions = [], resources = [] } = rule
  if ([...apiGroups, ...apiVersions].some((name) => name.includes('*'))) return
  const named = resources.filter((resource) => !/[*/]/.test(resource)).toSorted()
  for (const group of apiGroups.toSorted())
    for (const version of apiVersions.toSorted()) for (const resource of named) yield { group, version, resource }
}

const compareNames = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0)

const sorted = (found: ReadonlyMap<string, KnownKind>): readonly KnownKind[] =>
  [...found.values()].sort(
    (a, b) => compareNames(a.group, b.group) || compareNames(a.version, b.version) || compareNames(a.kind, b.kind),
  )
