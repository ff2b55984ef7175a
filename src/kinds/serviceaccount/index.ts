// ServiceAccount (v1).

import { type ObjectReference, ServiceAccount } from '../generated/types.ts'
import type { KindRules } from '../kind.ts'
import { mapShared, withDefaults } from '../sharing.ts'
import { ageColumn, nameColumn, text } from '../table/columns.ts'

const mountable = 'kubernetes.io/enforce-mountable-secrets'

const onlyName = ({ name }: ObjectReference): ObjectReference => (name ? { name } : {})

/** Of a reference to a secret only the name is kept. */
const withNamesOnly = (account: ServiceAccount): ServiceAccount =>
  withDefaults(account, {
    secrets:
      account.secrets &&
      mapShared<ObjectReference>(account.secrets, (reference) =>
        Object.keys(reference).every((field) => field === 'name') ? reference : onlyName(reference),
      ),
  })

export const serviceAccountRules: KindRules<ServiceAccount> = {
  kind: ServiceAccount,
  metaOnUpdate: 'um',
  generation: 'none',
  prepareForCreate: withNamesOnly,
  prepareForUpdate: withNamesOnly,
  // Whoever sets the annotation is told, not who keeps it.
  warnings: ({ metadata }, old) =>
    metadata.annotations?.[mountable] !== undefined && old?.metadata.annotations?.[mountable] === undefined
      ? [
          `metadata.annotations[${mountable}]: deprecated in v1.32+; prefer separate namespaces to isolate access to mounted secrets`,
        ]
      : [],
  columns: [
    nameColumn,
    text(
      'Secrets',
      'Secrets is a list of the secrets in the same namespace that pods running using this ServiceAccount are allowed to use. Pods are only limited to this list if this service account has a "kubernetes.io/enforce-mountable-secrets" annotation set to "true". The "kubernetes.io/enforce-mountable-secrets" annotation is deprecated since v1.32. Prefer separate namespaces to isolate access to mounted secrets. This field should not be used to find auto-generated service account token secrets for use outside of pods. Instead, tokens can be requested directly using the TokenRequest API, or service account token secrets can be manually created. More info: https://kubernetes.io/docs/concepts/configuration/secret',
      ({ secrets }) => (secrets ?? []).length,
    ),
    ageColumn,
  ],
}
