// The kind ApplicationSet: its name, its types, and the CustomResourceDefinition that is installed at start. Generators and
// the template keep whatever they hold: what is in them is checked where they are used.

import type { JsonObject } from '#objects'
import type { CustomResourceDefinition, JSONSchemaProps } from '../generated/types.ts'
import type { Kind } from '../kind.ts'
import type { ApplicationSet as ApplicationSetObject } from './types.ts'

export type * from './types.ts'

export type ApplicationSet = ApplicationSetObject
export const ApplicationSet: Kind<ApplicationSetObject> = {
  group: 'argoproj.io',
  version: 'v1alpha1',
  kind: 'ApplicationSet',
  resource: 'applicationsets',
  namespaced: true,
}

const text = (description: string): JsonObject => ({ type: 'string', description })
const flag = (description: string): JsonObject => ({ type: 'boolean', description })
const texts: JsonObject = { type: 'array', items: { type: 'string' } }
const anything: JsonObject = { type: 'object', 'x-kubernetes-preserve-unknown-fields': true }

const spec: JsonObject = {
  type: 'object',
  required: ['generators', 'template'],
  description: 'The applications that are wanted.',
  properties: {
    goTemplate: flag("Templates are Go's; otherwise {{ name }} is replaced by a parameter."),
    goTemplateOptions: { ...texts, description: 'missingkey=error makes a parameter that is not there a fault.' },
    generators: {
      type: 'array',
      items: anything,
      description: 'list, clusters, git, matrix, merge, pullRequest, scmProvider or plugin.',
    },
    template: { ...anything, description: 'The Application that each set of parameters becomes.' },
    templatePatch: text('A Go template of a patch of the Application, in YAML.'),
    syncPolicy: {
      type: 'object',
      properties: {
        applicationsSync: { type: 'string', enum: ['create-only', 'create-update', 'create-delete', 'sync'] },
        preserveResourcesOnDeletion: flag('What the Applications made stays when they are deleted.'),
      },
    },
    strategy: anything,
    preservedFields: { type: 'object', properties: { annotations: texts, labels: texts } },
    ignoreApplicationDifferences: { type: 'array', items: anything },
    applyNestedSelectors: flag('Kept for older manifests.'),
  },
}

export const applicationSetDefinition: CustomResourceDefinition = {
  apiVersion: 'apiextensions.k8s.io/v1',
  kind: 'CustomResourceDefinition',
  metadata: {
    name: 'applicationsets.argoproj.io',
    labels: { 'app.kubernetes.io/name': 'applicationsets.argoproj.io', 'app.kubernetes.io/part-of': 'argocd' },
  },
  spec: {
    group: 'argoproj.io',
    scope: 'Namespaced',
    names: {
      plural: 'applicationsets',
      singular: 'applicationset',
      kind: 'ApplicationSet',
      listKind: 'ApplicationSetList',
      shortNames: ['appset', 'appsets'],
    },
    versions: [
      {
        name: 'v1alpha1',
        served: true,
        storage: true,
        subresources: { status: {} },
        schema: {
          openAPIV3Schema: {
            type: 'object',
            required: ['metadata', 'spec'],
            properties: {
              apiVersion: { type: 'string' },
              kind: { type: 'string' },
              metadata: { type: 'object' },
              spec,
              status: anything,
            },
          } as JSONSchemaProps,
        },
      },
    ],
  },
}
