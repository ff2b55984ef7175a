// How the simulated server in a pod answers a ConversionReview: it passes the objects on under the version that is wanted,
// unless its WorkloadProfile says that it cannot. Pure.

import type { ProfileWebhook } from '#kinds'

interface Review {
  readonly apiVersion?: string
  readonly request?: {
    readonly uid?: string
    readonly desiredAPIVersion?: string
    readonly objects?: readonly object[]
  }
}

/** The text of the answer to the text of a review. */
export function conversionAnswer({ conversionError }: ProfileWebhook, text: string): string {
  const { apiVersion = 'apiextensions.k8s.io/v1', request } = JSON.parse(text) as Review
  const { uid = '', desiredAPIVersion = '', objects = [] } = request ?? {}
  const answer =
    conversionError === undefined
      ? {
          convertedObjects: objects.map((object) => ({ ...object, apiVersion: desiredAPIVersion })),
          result: { status: 'Success' },
        }
      : { convertedObjects: [], result: { status: 'Failure', message: conversionError } }
  return JSON.stringify({ apiVersion, kind: 'ConversionReview', response: { uid, ...answer } })
}
