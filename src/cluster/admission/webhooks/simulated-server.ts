// How the simulated server in a pod answers an AdmissionReview: as its WorkloadProfile says. Pure.

import type { Container, EnvVar, ProfileWebhook } from '#kinds'

const forbidden = 403

interface Review {
  readonly apiVersion?: string
  readonly request?: {
    readonly uid?: string
    readonly kind?: { readonly kind?: string }
    readonly object?: {
      readonly metadata?: {
        readonly labels?: Readonly<Record<string, string>>
        readonly annotations?: Readonly<Record<string, string>>
      }
      readonly spec?: { readonly containers?: readonly Container[] }
    } | null
  }
}

interface Operation {
  readonly op: 'add'
  readonly path: string
  readonly value: unknown
}

const escaped = (key: string): string => key.replaceAll('~', '~0').replaceAll('/', '~1')

function mapPatch(
  path: string,
  now: Readonly<Record<string, string>> | undefined,
  wanted: Readonly<Record<string, string>> | undefined,
): readonly Operation[] {
  const missing = Object.entries(wanted ?? {}).filter(([key, value]) => now?.[key] !== value)
  if (missing.length === 0) return []
  return [
    ...(now === undefined ? [{ op: 'add' as const, path, value: {} }] : []),
    ...missing.map(([key, value]) => ({ op: 'add' as const, path: `${path}/${escaped(key)}`, value })),
  ]
}

function envPatch(containers: readonly Container[], wanted: readonly EnvVar[]): readonly Operation[] {
  return containers.flatMap(({ env }, i): readonly Operation[] => {
    const missing = wanted.filter(({ name }) => !(env ?? []).some((one) => one.name === name))
    const path = `/spec/containers/${i}/env`
    if (missing.length === 0) return []
    if (env === undefined) return [{ op: 'add' as const, path, value: missing }]
    return missing.map((value) => ({ op: 'add' as const, path: `${path}/-`, value }))
  })
}

function patchOf({ mutate }: ProfileWebhook, { request }: Review): readonly Operation[] {
  const object = request?.object
  if (mutate === undefined || object === undefined || object === null) return []
  const { labels, annotations } = object.metadata ?? {}
  const containers = request?.kind?.kind === 'Pod' ? (object.spec?.containers ?? []) : []
  const { sidecar } = mutate
  const lacksSidecar =
    sidecar !== undefined && containers.length > 0 && !containers.some(({ name }) => name === sidecar.name)
  return [
    ...mapPatch('/metadata/labels', labels, mutate.labels),
    ...mapPatch('/metadata/annotations', annotations, mutate.annotations),
    ...envPatch(containers, mutate.env ?? []),
    ...(lacksSidecar ? [{ op: 'add' as const, path: '/spec/containers/-', value: sidecar }] : []),
  ]
}

/** As the usual libraries for webhooks say it. */
function statusOf({ code = forbidden, message = '' }: NonNullable<ProfileWebhook['deny']>): object {
  return { code, ...(code === forbidden ? { reason: 'Forbidden' } : {}), message }
}

/** The text of the answer to the text of a review. */
export function answerOf(server: ProfileWebhook, text: string): string {
  const review = JSON.parse(text) as Review
  const { deny, warnings } = server
  const patch = deny === undefined ? patchOf(server, review) : []
  return JSON.stringify({
    apiVersion: review.apiVersion ?? 'admission.k8s.io/v1',
    kind: 'AdmissionReview',
    response: {
      uid: review.request?.uid ?? '',
      allowed: deny === undefined,
      ...(deny === undefined ? {} : { status: statusOf(deny) }),
      ...(patch.length === 0
        ? {}
        : { patchType: 'JSONPatch', patch: Buffer.from(JSON.stringify(patch)).toString('base64') }),
      ...(warnings === undefined ? {} : { warnings }),
    },
  })
}
