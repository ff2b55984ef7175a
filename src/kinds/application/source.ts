// The blocks of an Application's source that say how its files become manifests: Helm's, Kustomize's, Jsonnet's and a
// plug-in's, field by field as in Argo CD. Types and the structural schema stand side by side.

import type { Json, JsonObject } from '#objects'
import { anything, flag, list, object, text, textMap, texts } from './shapes.ts'

export interface HelmParameter {
  readonly name?: string
  readonly value?: string
  /** `--set-string`: a number stays a text. */
  readonly forceString?: boolean
}

export interface HelmSource {
  readonly valueFiles?: readonly string[]
  readonly parameters?: readonly HelmParameter[]
  readonly releaseName?: string
  readonly values?: string
  /** Wins over `values`. */
  readonly valuesObject?: JsonObject
  readonly fileParameters?: readonly { readonly name?: string; readonly path?: string }[]
  readonly version?: string
  readonly passCredentials?: boolean
  readonly ignoreMissingValueFiles?: boolean
  readonly skipCrds?: boolean
  readonly skipTests?: boolean
  readonly skipSchemaValidation?: boolean
  readonly namespace?: string
  readonly kubeVersion?: string
  readonly apiVersions?: readonly string[]
}

export interface JsonnetVariable {
  readonly name: string
  readonly value?: string
  /** The value is an expression. */
  readonly code?: boolean
}

export interface JsonnetSource {
  readonly extVars?: readonly JsonnetVariable[]
  readonly tlas?: readonly JsonnetVariable[]
  /** Folders from the root of the repository. */
  readonly libs?: readonly string[]
}

export interface KustomizePatch {
  readonly path?: string
  readonly patch?: string
  readonly target?: { readonly [selector: string]: Json }
  readonly options?: { readonly [option: string]: boolean }
}

export interface KustomizeSource {
  readonly namePrefix?: string
  readonly nameSuffix?: string
  /** `image:tag`, `image@digest`, `image=other:tag`. */
  readonly images?: readonly string[]
  readonly commonLabels?: Readonly<Record<string, string>>
  readonly commonAnnotations?: Readonly<Record<string, string>>
  readonly forceCommonLabels?: boolean
  readonly forceCommonAnnotations?: boolean
  readonly commonAnnotationsEnvsubst?: boolean
  readonly labelWithoutSelector?: boolean
  readonly labelIncludeTemplates?: boolean
  readonly namespace?: string
  readonly replicas?: readonly { readonly name: string; readonly count: number | string }[]
  readonly patches?: readonly KustomizePatch[]
  readonly components?: readonly string[]
  readonly ignoreMissingComponents?: boolean
  readonly version?: string
  readonly kubeVersion?: string
  readonly apiVersions?: readonly string[]
}

/** A parameter has one of the three. */
export interface PluginParameter {
  readonly name?: string
  readonly string?: string
  readonly map?: Readonly<Record<string, string>>
  readonly array?: readonly string[]
}

export interface PluginSource {
  /** Of an allowed plug-in: its name, with its version where it has one (`NAME-VERSION`). Empty: the one that finds its files. */
  readonly name?: string
  readonly env?: readonly { readonly name: string; readonly value: string }[]
  readonly parameters?: readonly PluginParameter[]
}

export const helmSchema = object(
  {
    valueFiles: { ...texts, description: 'Values files, relative to the path; `$ref/file` is in another source.' },
    parameters: list(object({ name: text(), value: text(), forceString: flag })),
    releaseName: text('Name of the release; default the name of the application.'),
    values: text('Values, as a YAML text.'),
    valuesObject: { ...anything, description: 'Values; wins over `values`.' },
    fileParameters: list(object({ name: text(), path: text() })),
    version: text(),
    passCredentials: flag,
    ignoreMissingValueFiles: { ...flag, description: 'Values files that are not there are left out.' },
    skipCrds: flag,
    skipTests: flag,
    skipSchemaValidation: flag,
    namespace: text('Namespace that templates are given; default that of the destination.'),
    kubeVersion: text('Version of Kubernetes that templates are told; default that of the destination.'),
    apiVersions: { ...texts, description: 'API versions that templates are told; default those of the destination.' },
  },
  [],
  'Options of Helm charts.',
)

const jsonnetVariables = (description: string): JsonObject => ({
  ...list(object({ name: text(), value: text(), code: flag }, ['name', 'value'])),
  description,
})

export const jsonnetSchema = object(
  {
    extVars: jsonnetVariables('What std.extVar gives; with `code` the value is an expression.'),
    tlas: jsonnetVariables('Arguments of programs that are functions; with `code` the value is an expression.'),
    libs: { ...texts, description: 'Folders in which imports are looked for, from the root of the repository.' },
  },
  [],
  'Options of Jsonnet files.',
)

const countSchema: JsonObject = { anyOf: [{ type: 'integer' }, { type: 'string' }], 'x-kubernetes-int-or-string': true }

export const kustomizeSchema = object(
  {
    namePrefix: text(),
    nameSuffix: text(),
    images: { ...texts, description: '`image:tag`, `image@digest` or `image=other:tag`.' },
    commonLabels: textMap,
    commonAnnotations: textMap,
    forceCommonLabels: flag,
    forceCommonAnnotations: flag,
    commonAnnotationsEnvsubst: flag,
    labelWithoutSelector: flag,
    labelIncludeTemplates: flag,
    namespace: text(),
    replicas: list(object({ name: text(), count: countSchema }, ['count', 'name'])),
    patches: list(
      object({
        path: text(),
        patch: text(),
        target: anything,
        options: { type: 'object', additionalProperties: flag },
      }),
    ),
    components: texts,
    ignoreMissingComponents: flag,
    version: text(),
    kubeVersion: text(),
    apiVersions: texts,
  },
  [],
  'Options of Kustomize.',
)

export const pluginSchema = object(
  {
    name: text('Name of the plug-in, or NAME-VERSION; empty: the one that finds its files.'),
    env: list(object({ name: text(), value: text() }, ['name', 'value'])),
    parameters: list(object({ name: text(), string: text(), map: textMap, array: texts })),
  },
  [],
  'Options of a config management plug-in.',
)
