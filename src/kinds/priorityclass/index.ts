// PriorityClass (scheduling.k8s.io/v1).

import { type FieldError, forbidden, invalid } from '../field-error.ts'
import { PriorityClass } from '../generated/types.ts'
import type { KindRules } from '../kind.ts'
import { immutableText } from '../metadata/formats.ts'
import { checkChoice } from '../podspec/validate.ts'
import { withDefaults } from '../sharing.ts'
import { ageColumn, integer, nameColumn, text } from '../table/columns.ts'

const highestUserPriority = 1_000_000_000
const systemClasses: Readonly<Record<string, number>> = {
  'system-node-critical': 2_000_001_000,
  'system-cluster-critical': 2_000_000_000,
}

/** Classes of Kubernetes' own pods, which are always there. */
export const isSystemClass = (name: string): boolean => Object.hasOwn(systemClasses, name)

function systemFault({ metadata, value, globalDefault }: PriorityClass): string | undefined {
  const { name = '' } = metadata
  const expected = systemClasses[name]
  if (expected === undefined) return `${name} is not a known system priority class`
  if (value !== expected) return `value of ${name} PriorityClass must be ${expected}`
  return globalDefault === true ? `globalDefault of ${name} PriorityClass must be false` : undefined
}

function validate(object: PriorityClass): readonly FieldError[] {
  const errors: FieldError[] = []
  if (object.metadata.name?.startsWith('system-')) {
    const fault = systemFault(object)
    if (fault !== undefined)
      errors.push(
        forbidden(
          'metadata.name',
          `priority class names with 'system-' prefix are reserved for system use only. error: ${fault}`,
        ),
      )
  } else if ((object.value ?? 0) > highestUserPriority)
    errors.push(forbidden('value', `maximum allowed value of a user defined priority is ${highestUserPriority}`))
  if (object.preemptionPolicy !== undefined)
    checkChoice(object.preemptionPolicy, 'preemptionPolicy', { choices: ['PreemptLowerPriority', 'Never'], errors })
  return errors
}

function validateUpdate(object: PriorityClass, old: PriorityClass): readonly FieldError[] {
  const errors: FieldError[] = []
  if (object.value !== old.value) errors.push(forbidden('value', 'may not be changed in an update.'))
  if (object.preemptionPolicy !== old.preemptionPolicy)
    errors.push(invalid('preemptionPolicy', object.preemptionPolicy ?? null, immutableText))
  return errors
}

export const priorityClassRules: KindRules<PriorityClass> = {
  kind: PriorityClass,
  generation: () => false,
  defaults: (object) => withDefaults(object, { preemptionPolicy: object.preemptionPolicy ?? 'PreemptLowerPriority' }),
  validate,
  validateUpdate,
  columns: [
    nameColumn,
    integer(
      'Value',
      'value represents the integer value of this priority class. This is the actual priority that pods receive when they have the name of this class in their pod spec.',
      ({ value }) => value,
    ),
    {
      name: 'Global-Default',
      type: 'boolean',
      description:
        'globalDefault specifies whether this PriorityClass should be considered as the default priority for pods that do not have any priority class. Only one PriorityClass can be marked as `globalDefault`. However, if more than one PriorityClasses exists with their `globalDefault` field set to true, the smallest value of such global default PriorityClasses will be used as the default priority.',
      cell: ({ globalDefault }) => globalDefault ?? false,
    },
    ageColumn,
    text(
      'PreemptionPolicy',
      'preemptionPolicy is the Policy for preempting pods with lower priority. One of Never, PreemptLowerPriority. Defaults to PreemptLowerPriority if unset.',
      ({ preemptionPolicy }) => preemptionPolicy ?? '',
    ),
  ],
}
