// Columns of bindings and of kinds that only show when they were made.

import type { RbacV1Subject, RoleRef } from '../generated/types.ts'
import type { Column } from '../kind.ts'
import { ageColumn, nameColumn, text, wide } from '../table/columns.ts'

interface Binding {
  readonly roleRef: RoleRef
  readonly subjects?: readonly RbacV1Subject[]
}

const named = (subjects: readonly RbacV1Subject[] | undefined, kind: string): string =>
  (subjects ?? [])
    .filter((subject) => subject.kind === kind)
    .map(({ name, namespace }) => (kind === 'ServiceAccount' ? `${namespace ?? ''}/${name}` : name))
    .join(', ')

export const bindingColumns = <T extends Binding>(binding: string, roleDescription: string): readonly Column<T>[] => [
  nameColumn as unknown as Column<T>,
  text('Role', roleDescription, ({ roleRef }) => `${roleRef.kind}/${roleRef.name}`),
  ageColumn as unknown as Column<T>,
  wide(text('Users', `Users in the ${binding}`, ({ subjects }) => named(subjects, 'User'))),
  wide(text('Groups', `Groups in the ${binding}`, ({ subjects }) => named(subjects, 'Group'))),
  wide(
    text('ServiceAccounts', `ServiceAccounts in the ${binding}`, ({ subjects }) => named(subjects, 'ServiceAccount')),
  ),
]
