// The shapes of customizations. Every part knows the key of argocd-cm that it stands under, for messages.

export interface HealthScript {
  readonly key: string
  readonly text: string
  readonly openLibs: boolean
}

/** The words of kstatus. */
export type ExpressionStatus = 'current' | 'inProgress' | 'failed' | 'suspended'

export interface HealthExpression {
  readonly status: ExpressionStatus
  /** CEL; holds or does not. */
  readonly when: string
  /** CEL; a text. */
  readonly message?: string
}

export interface HealthExpressions {
  readonly key: string
  readonly rules: readonly HealthExpression[]
}

export interface ActionDefinition {
  readonly name: string
  readonly text: string
}

export interface ActionScripts {
  readonly key: string
  readonly discovery: string
  readonly definitions: readonly ActionDefinition[]
  readonly mergeBuiltinActions: boolean
}

/** What is no difference in objects of a kind. */
export interface IgnoredFields {
  readonly key: string
  readonly jsonPointers?: readonly string[]
  readonly jqPathExpressions?: readonly string[]
  readonly managedFieldsManagers?: readonly string[]
}

export interface CompareOptions {
  /** Nothing is said of the rules of roles that gather those of others. */
  readonly ignoreAggregatedRoles: boolean
  /** Of which kinds `status` does not count: of all, of CustomResourceDefinitions, of none. */
  readonly ignoreResourceStatusField: 'all' | 'crd' | 'none'
}

export interface Customization {
  /** `group/Kind`, or `Kind` alone for the core group; `*` and `?` stand for any text and any character. */
  readonly pattern: string
  readonly script?: HealthScript
  readonly expressions?: HealthExpressions
  readonly actions?: ActionScripts
  readonly ignored?: IgnoredFields
}

export interface Customizations {
  readonly all: readonly Customization[]
  readonly compare: CompareOptions
  /** What in argocd-cm cannot be read, each with its key. */
  readonly faults: readonly string[]
}
