// The kind Application: its name, its types, and the CustomResourceDefinition that is installed at start.

import type { CustomResourceDefinition } from '../generated/types.ts'
import type { Kind } from '../kind.ts'
import { applicationSchema } from './schema.ts'
import type { Application as ApplicationObject } from './types.ts'

export * from './dependencies.ts'
export * from './names.ts'
export { applicationSourceSchema } from './schema.ts'
export type {
  HelmParameter,
  HelmSource,
  JsonnetSource,
  JsonnetVariable,
  KustomizePatch,
  KustomizeSource,
  PluginParameter,
  PluginSource,
} from './source.ts'
export * from './sources.ts'
export type * from './types.ts'

export type Application = ApplicationObject
export const Application: Kind<ApplicationObject> = {
  group: 'argoproj.io',
  version: 'v1alpha1',
  kind: 'Application',
  resource: 'applications',
  namespaced: true,
}

// As in Argo CD, status is no subresource: whoever may write an Application may write its status.
export const applicationDefinition: CustomResourceDefinition = {
  apiVersion: 'apiextensions.k8s.io/v1',
  kind: 'CustomResourceDefinition',
  metadata: {
    name: 'applications.argoproj.io',
    labels: { 'app.kubernetes.io/name': 'applications.argoproj.io', 'app.kubernetes.io/part-of': 'argocd' },
  },
  spec: {
    group: 'argoproj.io',
    scope: 'Namespaced',
    names: {
      plural: 'applications',
      singular: 'application',
      kind: 'Application',
      listKind: 'ApplicationList',
      shortNames: ['app', 'apps'],
    },
    versions: [
      {
        name: 'v1alpha1',
        served: true,
        storage: true,
        additionalPrinterColumns: [
          { name: 'Sync Status', type: 'string', jsonPath: '.status.sync.status' },
          { name: 'Health Status', type: 'string', jsonPath: '.status.health.status' },
          { name: 'Revision', type: 'string', jsonPath: '.status.sync.revision', priority: 10 },
          { name: 'Project', type: 'string', jsonPath: '.spec.project', priority: 10 },
        ],
        schema: { openAPIV3Schema: applicationSchema },
      },
    ],
  },
}
