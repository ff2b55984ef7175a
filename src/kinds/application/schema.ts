// The structural schema of an Application. Blocks that Homeostat only hands on (sourceHydrator …) keep
// whatever they hold, so that Applications written for Argo CD lose nothing.

import type { JSONSchemaProps } from '../generated/types.ts'
import { anything, flag, list, object, text, textMap, texts, time, whole } from './shapes.ts'
import { helmSchema, jsonnetSchema, kustomizeSchema, pluginSchema } from './source.ts'

/** One source of an Application. */
export const applicationSourceSchema = object(
  {
    repoURL: text('URL of the repository.'),
    path: text('Folder within the repository.'),
    targetRevision: text(
      'Branch, tag, range of versions (tags), commit or HEAD to follow. Empty means HEAD. Of a chart: its version.',
    ),
    chart: text(),
    ref: text(),
    name: text(),
    directory: object(
      {
        recurse: { ...flag, description: 'Read the folders below too.' },
        include: text('Glob of the files to read.'),
        exclude: text('Glob of the files to leave out; tested first.'),
        jsonnet: jsonnetSchema,
      },
      [],
      'Options of plain manifests.',
    ),
    helm: helmSchema,
    kustomize: kustomizeSchema,
    plugin: pluginSchema,
  },
  ['repoURL'],
  'Where the desired manifests are.',
)

const source = applicationSourceSchema

const destination = object(
  {
    server: text('URL of the cluster; https://kubernetes.default.svc is the built-in one.'),
    name: text('Name of the cluster, instead of its URL.'),
    namespace: text('Namespace for objects that name none.'),
  },
  [],
  'The cluster and namespace to sync to.',
)

const ignoreDifferences = list(
  object(
    {
      group: text(),
      kind: text(),
      name: text(),
      namespace: text(),
      jsonPointers: texts,
      jqPathExpressions: texts,
      managedFieldsManagers: texts,
    },
    ['kind'],
  ),
)

const nameValues = list(object({ name: text(), value: text() }, ['name', 'value']))

const retry = object({
  limit: { ...whole, description: 'How often a failed sync is tried again; below 0 without limit.' },
  refresh: flag,
  backoff: object({ duration: text(), factor: whole, maxDuration: text() }),
})

const syncPolicy = object({
  automated: object(
    {
      enabled: flag,
      prune: { ...flag, description: 'Delete what is no longer in git.' },
      selfHeal: { ...flag, description: 'Correct what was changed in the cluster.' },
      allowEmpty: { ...flag, description: 'Allow a sync that deletes everything.' },
    },
    [],
    'Sync without being asked.',
  ),
  syncOptions: texts,
  retry,
  managedNamespaceMetadata: object({ labels: textMap, annotations: textMap }),
})

const spec = object(
  {
    project: text('The AppProject that this application belongs to.'),
    source,
    sources: list(source),
    destination,
    syncPolicy,
    ignoreDifferences,
    info: nameValues,
    revisionHistoryLimit: { ...whole, description: 'How many deployments are kept for rollback (10).' },
    sourceHydrator: anything,
  },
  ['destination', 'project'],
  'The application that is wanted.',
)

const force = object({ force: flag })
const resourceRef = { group: text(), kind: text(), name: text(), namespace: text() }
const initiator = object({ username: text(), automated: flag })
const revisions = { revision: text(), revisions: texts, source, sources: list(source) }

const operation = object(
  {
    sync: object({
      ...revisions,
      prune: flag,
      dryRun: flag,
      resources: list(object(resourceRef, ['kind', 'name'])),
      syncOptions: texts,
      syncStrategy: object({ apply: force, hook: force }),
      manifests: texts,
      autoHealAttemptsCount: whole,
    }),
    initiatedBy: initiator,
    info: nameValues,
    retry,
  },
  [],
  'A sync that was asked for and is not taken up yet.',
)

const operationState = object(
  {
    operation,
    phase: text(),
    message: text(),
    startedAt: time,
    finishedAt: time,
    retryCount: whole,
    syncResult: object(
      {
        ...revisions,
        resources: list(
          object(
            {
              ...resourceRef,
              version: text(),
              status: text(),
              message: text(),
              hookType: text(),
              hookPhase: text(),
              syncPhase: text(),
              images: texts,
            },
            ['group', 'kind', 'name', 'namespace', 'version'],
          ),
        ),
        managedNamespaceMetadata: object({ labels: textMap, annotations: textMap }),
      },
      ['revision'],
    ),
  },
  ['operation', 'phase', 'startedAt'],
)

const deployment = object(
  { ...revisions, id: whole, deployStartedAt: time, deployedAt: time, initiatedBy: initiator },
  ['deployedAt', 'id'],
)

const health = object({ status: text(), message: text(), lastTransitionTime: time })

const status = object(
  {
    sync: object(
      {
        status: text(),
        revision: text(),
        revisions: texts,
        comparedTo: object({ source, sources: list(source), destination, ignoreDifferences }, ['destination']),
      },
      ['status'],
    ),
    health,
    resources: list(
      object({
        group: text(),
        version: text(),
        kind: text(),
        namespace: text(),
        name: text(),
        status: text(),
        health,
        hook: flag,
        requiresPruning: flag,
        requiresDeletionConfirmation: flag,
        syncWave: whole,
      }),
    ),
    conditions: list(object({ type: text(), message: text(), lastTransitionTime: time }, ['message', 'type'])),
    operationState,
    history: list(deployment),
    reconciledAt: time,
    observedAt: time,
    sourceType: text(),
    sourceTypes: texts,
    summary: object({ images: texts, externalURLs: texts }),
    controllerNamespace: text(),
    resourceHealthSource: text(),
    sourceHydrator: anything,
  },
  [],
  'What was observed.',
)

export const applicationSchema = object(
  { apiVersion: text(), kind: text(), metadata: { type: 'object' }, spec, operation, status },
  ['metadata', 'spec'],
  'Keeps a part of a cluster converged on a folder of a git repository.',
) as JSONSchemaProps
