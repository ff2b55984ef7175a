// An Application as decisions about it see it, and instants of its life.

import type { Application } from '#kinds'

/** An instant, so many seconds into 2026. */
export const at = (seconds: number): number => Date.UTC(2026, 0, 1) + seconds * 1000

/** The same as objects write it. */
export const stamp = (seconds: number): string => `${new Date(at(seconds)).toISOString().slice(0, 19)}Z`

/** `argocd/web`, which goes from the folder `p` to the namespace `shop`. */
export function app(more: { readonly spec?: object; readonly status?: object } = {}): Application {
  return {
    apiVersion: 'argoproj.io/v1alpha1',
    kind: 'Application',
    metadata: { name: 'web', namespace: 'argocd' },
    spec: {
      project: 'default',
      source: { repoURL: 'r', path: 'p' },
      destination: { server: 'https://kubernetes.default.svc', namespace: 'shop' },
      ...more.spec,
    },
    ...(more.status === undefined ? {} : { status: more.status }),
  }
}
